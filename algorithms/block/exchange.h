// SPDX-License-Identifier: Apache-2.0
// How the keys of a tile are distributed over a block's registers, and how that distribution changes.
#pragma once

#include <fathom/algorithms/block/networks.h>
#include <fathom/algorithms/block/tile.h>

namespace fathom {

FATHOM_DEVICE
constexpr int log2_of(int power_of_two) {
  int log = 0;
  FATHOM_UNROLL
  for (int bit = 1; bit < 31; ++bit) log += power_of_two >> bit != 0;
  return log;
}

/// The greater or the smaller of two lanes' keys; of equivalent ones, its own.
template <class Key, class LessThan>
FATHOM_DEVICE
Key of_pair(const Key& own, const Key& other, bool greater, LessThan less) {
  const Key least = compare(other, own, less) ? other : own;
  const Key greatest = compare(own, other, less) ? other : own;
  return greater ? greatest : least;
}

/// Merges two sorted rows, the second of which is read backwards: key i of a row is in lane i % lanes of
/// `lanes` neighbours, a power of two. `low` gets the smaller half of the keys, `high` the greater one. A
/// lane alone takes the network with the fewest comparators; across lanes all of a step must compare keys of
/// the same distance.
template <class Key, class Count, class Lanes, class LessThan, class Block>
FATHOM_DEVICE
void merge_rows(Block& block, Registers<Key, Count>& low, Registers<Key, Count>& high, int keys_per_lane,
                Lanes lanes, LessThan less) {
  if (lanes == 1) {
    FATHOM_UNROLL
    for (int i = 0; i < keys_per_lane / 2; ++i) {
      const Key last = high[keys_per_lane - 1 - i];
      high[keys_per_lane - 1 - i] = high[i];
      high[i] = last;
    }
    odd_even_merge(low, high, keys_per_lane, less);
    return;
  }
  FATHOM_UNROLL
  for (int i = 0; i < keys_per_lane; ++i) compare_exchange(low[i], high[i], less);
  bitonic_merge(low, keys_per_lane, less);
  bitonic_merge(high, keys_per_lane, less);
  FATHOM_UNROLL
  for (int distance = warp_width / 2; distance > 0; distance /= 2) {
    if (distance >= lanes) continue;
    const bool upper = (block.lane() & distance) != 0;
    FATHOM_UNROLL
    for (int i = 0; i < keys_per_lane; ++i) {
      low[i] = of_pair(low[i], block.shuffle_xor(low[i], distance), upper, less);
      high[i] = of_pair(high[i], block.shuffle_xor(high[i], distance), upper, less);
    }
  }
}

/// The keys of a thread, a power of two: those whose indices in the tile differ in the bits from `low` on.
/// A thread alone therefore does log₂ `elements` steps of a bitonic merge.
template <class Elements>
struct TileLayout {
  Elements elements;
  int low;
  int lower, upper;  ///< index of key 0, and the one that the upper half of the keys counts from

  FATHOM_DEVICE
  int index(int i) const { return (i < elements / 2 ? lower : upper) + (i << low); }

  /// The place of key i in shared memory, where one word in `elements` + 1 is left out. With 32 keys per
  /// thread a warp's accesses are then free of bank conflicts in every layout; with fewer, two lanes share a
  /// bank in layouts with low ≥ 5.
  template <class Key>
  FATHOM_DEVICE
  Shared<Key> place(Shared<Key> tile, int i) const {
    // padded() is additive over different powers of two. By bits, keys share most of the additions.
    Shared<Key> place = tile.from(padded(i < elements / 2 ? lower : upper));
    FATHOM_UNROLL
    for (int bit = 0; bit < log2_most_elements; ++bit)
      if (i >> bit & 1) place = place.from(padded(1 << (low + bit)));
    return place;
  }

 private:
  FATHOM_DEVICE
  int padded(int index) const { return index + int(u32(index) / u32(elements)); }
};

/// If `mirrored`, key i and key elements − 1 − i are the ones that the first step of a merge compares.
template <class Elements>
FATHOM_DEVICE
TileLayout<Elements> tile_layout(int thread, Elements elements, int low, bool mirrored = false) {
  const int offset = thread & ((1 << low) - 1);
  const int first = (thread - offset) * elements + offset;
  return {elements, low, first, mirrored ? first + (1 << low) - 1 - 2 * offset : first};
}

/// The part of a block in sorting a tile.
template <class Key, class Elements, class Block>
class TileExchange {
 public:
  static int shared_memory(int tile_size, int elements) {
    return shared_bytes<Key>(tile_size + tile_size / elements);
  }

  /// The keys are in the layout `at`.
  FATHOM_DEVICE
  TileExchange(Block& block, Elements elements, TileLayout<Elements> at)
      : block_(block),
        elements_(elements),
        at_(at),
        tile_(block.template shared<Key>(block.threads() * (elements + 1))) {}

  /// The tile may be used otherwise while no thread is between the accesses of a move.
  FATHOM_DEVICE
  Shared<Key> tile() const { return tile_; }

  /// A thread stores to the places that it read last, so one barrier suffices. Layouts with low ≤ 5
  /// distribute the keys of a warp over its lanes.
  FATHOM_DEVICE
  void move(Registers<Key, Elements>& keys, const TileLayout<Elements>& to) {
    FATHOM_UNROLL
    for (int i = 0; i < elements_; ++i) at_.place(tile_, i).store(0, keys[i]);
    max(at_.low, to.low) <= log2_of(warp_width) ? block_.warp_barrier() : block_.barrier();
    FATHOM_UNROLL
    for (int i = 0; i < elements_; ++i) keys[i] = to.place(tile_, i).load(0);
    at_ = to;
  }

  /// A bitonic merge of runs of 2^(steps − 1) keys. Ends, as the next function does, in the layout with low =
  /// 0. `steps` varies at run time, so that the code stays short.
  template <class LessThan>
  FATHOM_DEVICE
  void merge_runs(Registers<Key, Elements>& keys, int steps, LessThan less) {
    bool mirrored = true;
    while (steps > 0) {
      steps = do_steps(keys, steps, mirrored, less);
      mirrored = false;
    }
    at_ = tile_layout(block_.thread(), elements_, 0);  // as it is; but known to be to the compiler
  }

  /// The last `steps` steps of a bitonic merge, a constant.
  template <class LessThan>
  FATHOM_DEVICE
  void finish_merge(Registers<Key, Elements>& keys, int steps, LessThan less) {
    constexpr int most_moves = 4;
    FATHOM_UNROLL
    for (int i = 0; i < most_moves; ++i)
      if (steps > 0) steps = do_steps(keys, steps, false, less);
  }

 private:
  /// Does as many steps as a thread can do alone. Returns how many are left.
  template <class LessThan>
  FATHOM_DEVICE
  int do_steps(Registers<Key, Elements>& keys, int steps, bool mirrored, LessThan less) {
    const int low = max(0, steps - log2_of(elements_));
    move(keys, tile_layout(block_.thread(), elements_, low, mirrored));
    if (mirrored) compare_mirrored(keys, elements_, less);
    half_cleaners(keys, elements_, steps - low - mirrored, less);
    return low;
  }

  Block& block_;
  Elements elements_;
  TileLayout<Elements> at_;
  Shared<Key> tile_;
};

/// One of the `count` > 0 keys than which none is larger. All threads call it; `scratch` has one element per
/// warp.
template <class List, class Key, class LessThan, class Block>
FATHOM_DEVICE
Key largest_of(Block& block, List tile, int count, Shared<Key> scratch, LessThan less) {
  Key largest = tile.load(0);
  for (int at = block.thread(); at < count; at += block.threads()) {
    const Key key = tile.load(at);
    if (compare(largest, key, less)) largest = key;
  }
  for (int mask = 1; mask < warp_width; mask *= 2) {
    const Key other = block.shuffle_xor(largest, mask);
    if (compare(largest, other, less)) largest = other;
  }
  if (block.lane() == 0) scratch.store(block.warp(), largest);
  block.barrier();
  for (int warp = 0; warp < block.warps(); ++warp) {
    const Key other = scratch.load(warp);
    if (compare(largest, other, less)) largest = other;
  }
  return largest;
}

/// Reads a tile in the given layout. Missing keys become copies of the largest, which stay behind the others:
/// no comparator moves a key past one that is not smaller. In the layout they must be the last ones.
template <class List, class Key, class Elements, class LessThan, class Block>
FATHOM_DEVICE
void read_partial_tile(Block& block, List tile, int count, Shared<Key> scratch,
                       const TileLayout<Elements>& layout, Registers<Key, Elements>& keys, LessThan less) {
  const Key largest = largest_of(block, tile, count, scratch, less);
  FATHOM_UNROLL
  for (int i = 0; i < layout.elements; ++i)
    keys[i] = layout.index(i) < count ? tile.load(layout.index(i)) : largest;
}

/// Reads a whole tile, of `tile_size` keys, in the layout `whole`, and any other in the layout `partial`.
template <class List, class Key, class Elements, class LessThan, class Block>
FATHOM_DEVICE
void read_tile_in_layout(Block& block, List tile, int count, int tile_size, Shared<Key> scratch,
                         const TileLayout<Elements>& whole, const TileLayout<Elements>& partial,
                         Registers<Key, Elements>& keys, LessThan less) {
  if (count == tile_size) {
    FATHOM_UNROLL
    for (int i = 0; i < whole.elements; ++i) keys[i] = tile.load(whole.index(i));
  } else {
    read_partial_tile(block, tile, count, scratch, partial, keys, less);
  }
}

/// Bytes of shared memory for a tile's exchange and for reading it.
template <class Key>
int shared_memory_of_tile(int threads, int elements) {
  return TileExchange<Key, int, int>::shared_memory(threads * elements, elements) +
         shared_bytes<Key>(threads / warp_width);
}

/// Writes the keys that exist: `count`, of a whole tile `tile_size`.
template <class List, class Key, class Elements>
FATHOM_DEVICE
void write_tile_in_layout(List tile, int count, int tile_size, const TileLayout<Elements>& layout,
                          const Registers<Key, Elements>& keys) {
  if (count == tile_size) {
    FATHOM_UNROLL
    for (int i = 0; i < layout.elements; ++i) tile.store(layout.index(i), keys[i]);
  } else {
    FATHOM_UNROLL
    for (int i = 0; i < layout.elements; ++i)
      if (layout.index(i) < count) tile.store(layout.index(i), keys[i]);
  }
}

}  // namespace fathom
