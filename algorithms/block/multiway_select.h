// SPDX-License-Identifier: Apache-2.0
// The first elements of several sorted lists, exactly.
#pragma once

#include <fathom/algorithms/block/exchange.h>
#include <fathom/algorithms/block/scan.h>

namespace fathom {

/// The greatest key of those of `ways` neighbouring lanes that have one; any of several equivalent ones.
template <class LessThan, class Key, class Ways, class Block>
FATHOM_DEVICE
Key greatest_of_lists(Block& block, Key key, int has_key, Ways ways) {
  FATHOM_UNROLL
  for (int distance = 1; distance < ways; distance *= 2) {
    const Key other = block.shuffle_xor(key, distance);
    const int other_has_key = block.shuffle_xor(has_key, distance);
    if (other_has_key && (!has_key || compare(key, other, LessThan{}))) key = other;
    has_key |= other_has_key;
  }
  return key;
}

/// How many of the first `rank` elements of `ways` sorted lists together are in each list; equal elements
/// come from the earlier list first. `ways` neighbouring lanes, a power of two, select together, one per
/// list; all lanes of the warp call it, with ranks and lists of their own.
///
/// Selects among samples of every list, at first of every s-th element, then of every s/4-th, until s is 1
/// (after Varman and others, 1991, who exchange samples one by one). Each lane looks at a window of eight
/// samples around what it has selected, and the lanes merge their windows: the sample at the wanted rank says
/// how many each selects of its own. Where a selection ends at the edge of a window, which few do, windows
/// move. The samples of a round are loaded together, since what limits a selection is the latency of its
/// dependent loads.
///
/// Each of several lists of random elements selects nearly its share of the rank: with a standard deviation
/// of at most √longest/2, the hypergeometric distribution's. So the first s is about √longest. Where the
/// first selection ends at the edge of a window nevertheless, it begins anew with so large an s that windows
/// span the lists.
template <class Key, class LessThan, class Ways = Number>
struct MultiwaySelect {
  Span<const Key> list;  ///< the lane's
  Index count;           ///< of its elements, 0 ≤ count ≤ longest
  Index longest;         ///< the same for all lanes, ≥ 1
  Ways ways;

  template <class Block>
  FATHOM_DEVICE
  Index operator()(Block& block, Index rank) const {
    int widest = 0, level = 0;  // s = 2^level
    while (longest >> widest >= 2 * window) widest += 2;
    while (longest >> 2 * level > 1) level += 2;
    bool is_guess = level < widest;
    if (!is_guess) level = widest;
    Index selected = fair_share(block, rank, level);  // samples
    for (;;) {
      const bool at_edge = select_samples(block, level, samples_among(rank, level), selected);
      if (at_edge && is_guess) {
        level = widest;
        selected = fair_share(block, rank, level);
      } else if (!at_edge) {
        if (level == 0) return selected;
        level -= 2;
        selected <<= 2;
      }
      is_guess = false;
    }
  }

 private:
  static constexpr int window = 8;
  using Window = Constant<window>;
  using Samples = Registers<Key, Window>;

  // Samples are in the middle of every s elements: errors of the number of elements that they stand for
  // nearly cancel out. With the last of every s, where most lists end, another one would get what all of
  // these lack.
  FATHOM_DEVICE
  static Index first_sample(int level) { return max(1, (1 << level) / 2) - 1; }
  FATHOM_DEVICE
  static Index samples_among(Index elements, int level) {
    return (elements + (1 << level) - 1 - first_sample(level)) >> level;
  }

  /// Samples of the list among those of all lists up to the rank, if each has as many as its length says.
  template <class Block>
  FATHOM_DEVICE
  Index fair_share(Block& block, Index rank, int level) const {
    const Index own = samples_among(count, level);
    const u32 all = max(1u, sum_of_lists(block, u32(own)));
    return min(Index(float(samples_among(rank, level)) * float(own) / float(all)), own);
  }

  /// Selects the first `target` of every 2^level-th elements as far as the windows reach. Whether a selection
  /// ends at the edge of a window beyond which there are more samples, of any lane of the warp.
  template <class Block>
  FATHOM_DEVICE
  bool select_samples(Block& block, int level, Index target, Index& selected) const {
    const Index available = samples_among(count, level);
    const Index first = max(Index(0), min(selected - window / 2, available - window));
    const int own = int(min(available - first, Index(window)));  // samples in the window
    Samples samples(Window{});
    FATHOM_UNROLL
    for (int i = 0; i < window; ++i)
      if (i < own) samples[i] = list.load(((first + i) << level) + first_sample(level));
    if (block.ballot(own < window) != 0) pad(block, samples, own);

    // Counts of samples modulo 2^32: of the differences only small ones matter.
    const int missing = int(u32(target) - sum_of_lists(block, u32(first)));
    const Key last = smallest(block, samples, max(1, min(missing, window * ways)));
    int less = 0, not_greater = 0;
    FATHOM_UNROLL
    for (int i = 0; i < window; ++i) {
      less += compare(samples[i], last, LessThan{});
      not_greater += !compare(last, samples[i], LessThan{});
    }
    const int equal = min(not_greater, own) - less;
    const int of_window = less + share_of_equal(block, missing, less, equal);
    selected = first + of_window;
    const bool at_edge = (of_window == 0 && first > 0) | (of_window == window && first + window < available);
    return block.ballot(at_edge) != 0;
  }

  /// Fills up a window behind its `own` samples with the greatest of all lists', which comes before none of
  /// them.
  template <class Block>
  FATHOM_DEVICE
  void pad(Block& block, Samples& samples, int own) const {
    Key greatest{};
    FATHOM_UNROLL
    for (int i = 0; i < window; ++i)
      if (i < own) greatest = samples[i];
    greatest = greatest_of_lists<LessThan>(block, greatest, own > 0, ways);
    FATHOM_UNROLL
    for (int i = 0; i < window; ++i)
      if (i >= own) samples[i] = greatest;
  }

  /// The sample of all windows before which `place` − 1 others come, 1 ≤ place ≤ window·ways: merges windows,
  /// first of neighbouring lanes, then of pairs, and so on.
  template <class Block>
  FATHOM_DEVICE
  Key smallest(Block& block, Samples samples, int place) const {
    FATHOM_UNROLL
    for (int lanes = 2; lanes <= ways; lanes *= 2) {
      // The second half is read backwards: a sample's mirror image in both together.
      exchange(block, samples, lanes - 1, (block.lane() & lanes / 2) != 0, true);
      FATHOM_UNROLL
      for (int distance = lanes / 4; distance > 0; distance /= 2)
        exchange(block, samples, distance, (block.lane() & distance) != 0, false);
      half_cleaners(samples, Window{}, 3, LessThan{});
    }
    Key key = samples[0];
    FATHOM_UNROLL
    for (int i = 1; i < window; ++i)
      if ((place - 1) % window == i) key = samples[i];
    const int first_lane = block.lane() / ways * ways;
    return block.shuffle(key, first_lane + (place - 1) / window);
  }

  /// Keeps the smaller or the greater of each sample and another lane's.
  template <class Block>
  FATHOM_DEVICE
  void exchange(Block& block, Samples& samples, int mask, bool greater, bool backwards) const {
    Samples others(Window{});
    FATHOM_UNROLL
    for (int i = 0; i < window; ++i)
      others[i] = block.shuffle_xor(samples[backwards ? window - 1 - i : i], mask);
    FATHOM_UNROLL
    for (int i = 0; i < window; ++i) {
      samples[i] = of_pair(samples[i], others[i], greater, LessThan{});
    }
  }

  /// How many samples equal to the last one selected are the lane's. The earlier lists' come first; the
  /// lane's window has `equal` of them and `less` before them.
  template <class Block>
  FATHOM_DEVICE
  int share_of_equal(Block& block, int missing, int less, int equal) const {
    constexpr int bits = 16;
    // The counts of this list and of those before it.
    const int counts = inclusive_scan_lanes(block, equal << bits | less, block.lane() % ways, ways, Plus{});
    const int all_less = block.shuffle(counts, block.lane() | (ways - 1)) & ((1 << bits) - 1);
    const int equal_before = (counts >> bits) - equal;
    return max(0, min(missing - all_less - equal_before, equal));
  }

  template <class Block>
  FATHOM_DEVICE
  u32 sum_of_lists(Block& block, u32 value) const {
    FATHOM_UNROLL
    for (int distance = 1; distance < ways; distance *= 2) value += block.shuffle_xor(value, distance);
    return value;
  }
};

}  // namespace fathom
