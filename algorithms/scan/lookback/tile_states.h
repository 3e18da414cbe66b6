// What the tiles of a single-pass scan tell each other (merrill2016: decoupled look-back).
#pragma once

#include <fathom/algorithms/reduce/in_block.h>

namespace fathom {

/// One 32-bit word of a value, and what it is a part of: 2·run for the combination of one tile, one more for
/// that of all tiles up to and with it. Any other label was left by an earlier run: nobody has to clear the
/// states between runs.
struct alignas(8) StateWord {
  u32 label;
  u32 part;
};

/// The state of tile i: each of its value's words travels with its own label in one access of 8 bytes, word w
/// in words[w·tiles + i]. So a reader sees by the labels whether all it has read belongs together, and needs
/// neither a fence nor an access wider than the hardware guarantees.
template <class T>
struct TileStates {
  static_assert(sizeof(T) % 4 == 0, "a scanned type must consist of whole 32-bit words");
  static constexpr int words_of_a_value = int(sizeof(T)) / 4;
  static constexpr u32 last_run = ~0u / 2;  // a label holds it twice

  Span<StateWord> words;
  int tiles;
  u32 run;  ///< 1, 2, … of this work space

  FATHOM_DEVICE
  void publish(int tile, const T& value, bool prefix) const {
    const auto parts = __builtin_bit_cast(Parts, value);
    FATHOM_UNROLL
    for (int w = 0; w < words_of_a_value; ++w)
      words.store_relaxed(Index(w) * tiles + tile, {2 * run + prefix, parts.part[w]});
  }

  /// In lane 0, the combination of all tiles before `tile`, by one warp. It looks at 32 tiles at a time, one
  /// a lane, nearest first, until there is the prefix of one among them; what is not yet there it waits for.
  ///
  /// In a full machine a look at what is not there yet does harm: memory is busy enough, and everybody looks
  /// at the same few lines that others are about to write. A warp therefore waits `backoff_ns` nanoseconds
  /// ahead of its first look, and a little between others. On an H200 (2^28 u32) that made the scan 9 %
  /// faster, while looking at 128 or 256 tiles at a time made it 2 to 20 % slower.
  template <class Block, class Operator>
  FATHOM_DEVICE
  T look_back(Block& block, int tile, int backoff_ns, Operator combine) const {
    if (backoff_ns > 0) block.sleep(backoff_ns);
    T found = identity_of<Operator, T>();
    for (int first = tile - warp_width;; first -= warp_width)
      if (take(block, first + block.lane(), found, combine)) return found;
  }

 private:
  static constexpr int between_looks = 200;  // nanoseconds

  struct Parts {
    u32 part[words_of_a_value];
  };
  struct State {
    StateWord word[words_of_a_value];
  };

  /// Before the first tile some other state is read, and not used.
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

  /// Puts the states of 32 consecutive tiles, one a lane, in front of `found` in lane 0, from the last prefix
  /// among them on; whether there was one. Before the first tile stands a prefix that is the identity.
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
