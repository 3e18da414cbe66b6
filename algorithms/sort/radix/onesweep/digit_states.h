// SPDX-License-Identifier: Apache-2.0
// The states through which the tiles of a pass by digits communicate.
#pragma once

#include <fathom/device/contract/contract.h>

namespace fathom {

/// Tiles publish for later ones (merrill2016: decoupled look-back) how many keys have a digit in one tile, or
/// in all tiles up to it. The upper two bits of a word say which of the two, and in which pass: 2·parity or
/// 2·parity + 1, where parities of consecutive passes differ. A pass overwrites every word, and words of the
/// pass before look like words not yet written: they need no clearing. Count is u32 or u64.
template <class Count>
struct DigitStates {
  static constexpr int count_bits = 8 * int(sizeof(Count)) - 2;
  static constexpr Count most = (Count(1) << count_bits) - 1;
  static constexpr int widest_window = 4;
  /// Before the first tile, of states that nobody needs: a window may begin in any tile.
  static constexpr int rows_ahead = widest_window - 1;

  Span<Count> words;  ///< of bin b of tile i: [(rows_ahead + i)·bins + b]
  int bins;
  int parity;

  FATHOM_DEVICE
  void publish(Index tile, int bin, Count count, bool up_to_here) const {
    words.store_relaxed((rows_ahead + tile) * bins + bin, count | label() | Count(up_to_here) << count_bits);
  }

  /// The sum over all tiles before `tile`, which is not the first, and what the first added to its own; loads
  /// `window` states at a time, 2 or 4. Most of them are sums of single tiles: these are added up together.
  template <int window>
  FATHOM_DEVICE
  Count sum_before(Index tile, int bin) const {
    static_assert(window == 2 || window == widest_window, "so that a window's labels add up to 0");
    Count sum = 0;
    for (Index next = tile - 1;;) {
      Registers<Count, Constant<window>> states(Constant<window>{});
      FATHOM_UNROLL
      for (int i = 0; i < window; ++i) states[i] = words.load_relaxed((rows_ahead + next - i) * bins + bin);
      Count labels = 0, in_window = 0;
      FATHOM_UNROLL
      for (int i = 0; i < window; ++i) {
        labels |= states[i] ^ label();
        in_window += states[i];
      }
      if (labels <= most) {
        sum += in_window;
        next -= window;
        continue;
      }
      bool ready = true;
      FATHOM_UNROLL
      for (int i = 0; i < window; ++i) {
        const Count state = states[i] ^ label();
        ready = ready && state >> (count_bits + 1) == 0;
        if (ready) {
          sum += state & most;
          if (state > most) return sum;
          --next;
        }
      }
    }
  }

 private:
  /// This pass's label, in its place in a word.
  FATHOM_DEVICE
  Count label() const { return Count(2 * parity) << count_bits; }
};

}  // namespace fathom
