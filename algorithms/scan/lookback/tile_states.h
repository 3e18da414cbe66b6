// SPDX-License-Identifier: Apache-2.0
// The states through which the tiles of a single-pass scan communicate (merrill2016: decoupled look-back).
#pragma once

#include <fathom/algorithms/block/reduce.h>

namespace fathom {

/// One 32-bit word of a value and a label for the value: 2·run for the combination of one tile, 2·run + 1 for
/// that of all tiles up to and including it. Any other label is from an earlier run, so that the states need
/// no clearing between runs.
struct alignas(8) StateWord {
  u32 label;
  u32 part;
};

/// The state of tile i: each word of its value is accessed together with its own label, in one access of 8
/// bytes; word w is in words[w·tiles + i]. The labels tell a reader whether all words it has read belong
/// together, without a fence or an access wider than the hardware guarantees.
template <class T>
struct TileStates {
  static_assert(sizeof(T) % 4 == 0, "a scanned type must consist of whole 32-bit words");
  static constexpr int words_of_a_value = int(sizeof(T)) / 4;
  static constexpr u32 last_run = ~0u / 2;  // a label holds twice the number

  Span<StateWord> words;
  int tiles;
  u32 run;  ///< 1, 2, … of this work space

  FATHOM_DEVICE
  void publish(int tile, const T& value, bool prefix) const {
    static_assert(sizeof(Parts) == sizeof(T));  // NVRTC 12 knows the size only if it is asked for it first
    const auto parts = __builtin_bit_cast(Parts, value);
    FATHOM_UNROLL
    for (int w = 0; w < words_of_a_value; ++w)
      words.store_relaxed(Index(w) * tiles + tile, {2 * run + prefix, parts.part[w]});
  }

  /// In lane 0, the combination of all tiles before `tile`, computed by one warp. It reads the states of 32
  /// tiles at a time, one per lane, nearest first, until one of them is a prefix; it waits for states that
  /// are not yet available.
  ///
  /// In a full machine, polling states that are not yet available does harm: memory is busy enough, and all
  /// warps poll the same few lines that others are about to write. A warp therefore waits `backoff_ns`
  /// nanoseconds before its first read, and a little between later ones. On an H200 (2^28 u32) this made the
  /// scan 9 % faster, while reading 128 or 256 tiles at a time made it 2 to 20 % slower.
  template <class Block, class Operator>
  FATHOM_DEVICE
  T look_back(Block& block, int tile, int backoff_ns, Operator combine) const {
    if (backoff_ns > 0) block.sleep(backoff_ns);
    T found = identity_of<Operator, T>();
    for (int first = tile - warp_width;; first -= warp_width)
      if (take(block, first + block.lane(), found, combine)) return found;
  }

  /// In lane 0, the combination of the tiles from `first` to `end` − 1, each alone, computed by one warp. It
  /// reads `windows` · 32 states at a time and waits for those that are not yet available.
  template <int windows, class Block, class Operator>
  FATHOM_DEVICE
  T combine_tiles(Block& block, int first, int end, Operator combine) const {
    T found = identity_of<Operator, T>();
    for (; first < end; first += windows * warp_width) {
      State state[windows];
      bool waits[windows];
      FATHOM_UNROLL
      for (int w = 0; w < windows; ++w) waits[w] = first + w * warp_width + block.lane() < end;
      for (;;) {
        FATHOM_UNROLL
        for (int w = 0; w < windows; ++w)
          if (waits[w]) state[w] = read(first + w * warp_width + block.lane());
        bool any = false;
        FATHOM_UNROLL
        for (int w = 0; w < windows; ++w) {
          waits[w] = waits[w] && !ready(state[w]);
          any = any || waits[w];
        }
        if (block.ballot(any) == 0) break;
        block.sleep(between_looks);
      }
      T values[windows];
      FATHOM_UNROLL
      for (int w = 0; w < windows; ++w)
        values[w] =
            first + w * warp_width + block.lane() < end ? value(state[w]) : identity_of<Operator, T>();
      reduce_together(block, values, combine);
      FATHOM_UNROLL
      for (int w = 0; w < windows; ++w) found = combine(found, values[w]);
    }
    return found;
  }

 private:
  static constexpr int between_looks = 200;  // nanoseconds

  struct Parts {
    u32 part[words_of_a_value];
  };
  struct State {
    StateWord word[words_of_a_value];
  };

  /// Reads some other state, which is not used, for positions before the first tile.
  FATHOM_DEVICE
  State read(int tile) const {
    State state;
    FATHOM_UNROLL
    for (int w = 0; w < words_of_a_value; ++w)
      state.word[w] = words.load_relaxed(Index(w) * tiles + max(tile, 0));
    return state;
  }

  FATHOM_DEVICE
  bool ready(const State& state) const {
    bool all = state.word[0].label / 2 == run;
    FATHOM_UNROLL
    for (int w = 1; w < words_of_a_value; ++w) all = all && state.word[w].label == state.word[0].label;
    return all;
  }

  FATHOM_DEVICE
  static T value(const State& state) {
    Parts parts;
    FATHOM_UNROLL
    for (int w = 0; w < words_of_a_value; ++w) parts.part[w] = state.word[w].part;
    return __builtin_bit_cast(T, parts);
  }

  /// reduce_warp() of several values, which take each step together: one latency instead of one per value.
  template <int count, class Block, class Operator>
  FATHOM_DEVICE
  static void reduce_together(Block& block, T (&values)[count], Operator combine) {
    FATHOM_UNROLL
    for (int distance = 1; distance < warp_width; distance *= 2) {
      T later[count];
      FATHOM_UNROLL
      for (int i = 0; i < count; ++i) later[i] = block.shuffle_down(values[i], distance);
      FATHOM_UNROLL
      for (int i = 0; i < count; ++i) values[i] = combine(values[i], later[i]);
    }
  }

  /// Prepends the states of 32 consecutive tiles, one per lane, to `found` in lane 0, starting at the last
  /// prefix among them. Returns whether there was one. The identity counts as a prefix before the first tile.
  template <class Block, class Operator>
  FATHOM_DEVICE
  bool take(Block& block, int tile, T& found, Operator combine) const {
    for (;;) {
      const State state = read(tile);
      const bool start = tile < 0, there = start || ready(state);
      const u32 prefixes = block.ballot(start || (there && state.word[0].label % 2 == 1));
      const bool counts = (prefixes & ~1u << block.lane()) == 0;  // no prefix in a later lane
      if (block.ballot(counts && !there) == 0) {
        const T mine = counts && !start ? value(state) : identity_of<Operator, T>();
        found = combine(reduce_warp(block, mine, combine), found);
        return prefixes != 0;
      }
      block.sleep(between_looks);
    }
  }
};

}  // namespace fathom
