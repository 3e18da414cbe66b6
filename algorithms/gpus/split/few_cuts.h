// SPDX-License-Identifier: Apache-2.0
// A few cuts in a thread's registers.
#pragma once

#include <fathom/algorithms/block/digits.h>
#include <fathom/algorithms/gpus/cuts.h>

namespace fathom {

/// The cuts of one rank's elements into `parts` parts. Whether an element comes before a cut depends on its
/// key alone, but for keys that have the cut's bits: of these, those of lower ranks come before it, and of
/// the cut's own rank those at positions before the cut's. Unless a cut's place lies within a tile, one
/// comparison of bits for each cut suffices.
template <class Key, class Parts>
class FewCuts {
  using Bits = BitsOf<Key>;

 public:
  FATHOM_DEVICE
  FewCuts(Span<const Cut> cuts, u64 rank, Parts parts)
      : cuts_(cuts), rank_(rank), parts_(parts), last_(parts) {}

  /// Called for positions [first, end), of which there is one at least, before for_each() is.
  FATHOM_DEVICE
  void look_at(Index first, Index end) {
    const u64 first_place = place_of(rank_, first), last_place = place_of(rank_, end - 1);
    bits_decide_ = true;
    FATHOM_UNROLL
    for (int i = 0; i < parts_ - 1; ++i) {
      const Cut cut = cuts_.load(i);
      const bool is_behind_all = cut.bits > u64(~Bits(0));
      const bool all = is_behind_all || last_place < cut.place, none = first_place >= cut.place;
      bits_decide_ = bits_decide_ && (all || (none && cut.bits > 0));
      last_[i] = is_behind_all ? ~Bits(0) : Bits(cut.bits - (all ? 0 : 1));
    }
  }
  /// Calls `each(i, is_behind)` for the elements i of a thread, which have the keys key(i) and the positions
  /// at(i). is_behind(cut) tells whether the element does not come before that cut.
  template <class Count, class KeyOfElement, class Position, class Each>
  FATHOM_DEVICE
  void for_each(Count elements, KeyOfElement key, Position at, Each each) const {
    if (bits_decide_) {
      FATHOM_UNROLL
      for (int i = 0; i < elements; ++i) {
        const Bits bits = ordered_bits(key(i));
        each(i, [&](int cut) { return bits > last_[cut]; });
      }
    } else {
      FATHOM_UNROLL
      for (int i = 0; i < elements; ++i) each(i, is_behind(key(i), at(i)));
    }
  }
  /// The same for any element, more slowly.
  FATHOM_DEVICE
  auto is_behind(const Key& key, Index at) const {
    return [this, bits = u64(ordered_bits(key)), place = place_of(rank_, at)](int cut) {
      return !cuts_.load(cut).comes_after(bits, place);
    };
  }

 private:
  Span<const Cut> cuts_;
  u64 rank_;
  Parts parts_;
  Registers<Bits, Parts> last_;  ///< of the elements looked at that come before the cut
  bool bits_decide_ = false;
};

/// Counters of a thread's elements by part, 255 at most of each, in eight bits, four to a word.
template <class Parts>
class PartCounters {
 public:
  static constexpr int most_parts = 8, words = most_parts / 4;

  FATHOM_DEVICE
  explicit PartCounters(Parts parts) : parts_(parts) {
    FATHOM_UNROLL
    for (int i = 0; i < words; ++i) four_[i] = 0;
  }

  /// Returns how many were counted for the part before.
  FATHOM_DEVICE
  int add(int part) {
    const int shift = part % 4 * 8;
    u32 before = 0;
    FATHOM_UNROLL
    for (int word = 0; word < words; ++word) {
      if (word * 4 >= parts_ || (parts_ > 4 && part / 4 != word)) continue;
      before = four_[word];
      four_[word] += 1u << shift;
    }
    return int(before >> shift & 0xff);
  }
  /// Those of parts 4·word to 4·word + 3, sixteen bits each.
  FATHOM_DEVICE
  u64 widened(int word) const {
    const u32 four = four_[word];
    return (four & 0xff) | (four & 0xff00) << 8 | u64((four >> 16 & 0xff) | (four >> 24) << 16) << 32;
  }

 private:
  Parts parts_;
  Registers<u32, Constant<words>> four_{Constant<words>{}};
};

/// A number below 2^16 for each part, two to a word.
template <class Parts>
class PartPlaces {
 public:
  FATHOM_DEVICE
  explicit PartPlaces(Parts parts) : parts_(parts) {}

  /// Sets the numbers of parts 4·word to 4·word + 3, sixteen bits each.
  FATHOM_DEVICE
  void set_four(int word, u64 places) {
    two_[2 * word] = u32(places);
    two_[2 * word + 1] = u32(places >> 32);
  }
  FATHOM_DEVICE
  int of(int part) const {
    u32 two = two_[0];
    FATHOM_UNROLL
    for (int i = 1; i < most; ++i)
      if (2 * i < parts_) two = part / 2 == i ? two_[i] : two;
    return int(two >> (part % 2 * 16) & 0xffff);
  }

 private:
  static constexpr int most = PartCounters<Parts>::most_parts / 2;

  Parts parts_;
  Registers<u32, Constant<most>> two_{Constant<most>{}};
};

}  // namespace fathom
