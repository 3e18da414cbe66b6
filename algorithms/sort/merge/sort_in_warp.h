// The base case of the multiway mergesorts: every warp sorts w keys for each key of a lane (agpu2015 §7.3: w,
// karsin2018 §5: w²), without bank conflicts.
#pragma once

#include <fathom/algorithms/sort/merge/networks.h>

namespace fathom {

/// Every lane sorts its keys in registers; then the runs of lanes are merged pairwise by shuffles. One warp
/// and one tile per block.
template <class Key, class LessThan, class Elements = Number>
struct SortInWarp {
  static constexpr const char* header = "fathom/algorithms/sort/merge/sort_in_warp.h";

  Span<const Key> input;
  Span<Key> output;
  Index n;
  Elements elements_per_lane;

  static int shared_memory(int elements) { return shared_bytes<Key>(warp_width * (elements | 1)); }

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const int tile_size = warp_width * elements_per_lane;
    const Index first = block.index() * tile_size;
    const int count = int(min<Index>(n - first, tile_size));
    Registers<Key, Elements> keys(elements_per_lane);
    load(block, input.from(first), count, keys);
    odd_even_merge_sort(keys, elements_per_lane, LessThan{});
    FATHOM_NO_UNROLL
    for (int width = 2; width <= warp_width; width *= 2) {
      // The second run is read backwards: the mirror image of a key's position in both runs together.
      exchange(block, keys, width - 1, block.lane() & (width / 2), true);
      FATHOM_NO_UNROLL
      for (int distance = width / 4; distance > 0; distance /= 2)
        exchange(block, keys, distance, block.lane() & distance, false);
      bitonic_merge(keys, elements_per_lane, LessThan{});
    }
    store(block, keys, output.from(first), count);
  }

 private:
  /// A partial tile is padded with its greatest key. Every comparator puts the smaller key first, so padding
  /// stays behind all keys, equivalent ones included.
  template <class Block>
  FATHOM_DEVICE
  void load(Block& block, Span<const Key> tile, int count, Registers<Key, Elements>& keys) const {
    if (count == warp_width * elements_per_lane) {
      FATHOM_UNROLL
      for (int i = 0; i < elements_per_lane; ++i) keys[i] = tile.load(i * warp_width + block.lane());
      return;
    }
    const int begin = block.lane() * elements_per_lane;
    Key greatest = tile.load(min(begin, count - 1));
    FATHOM_UNROLL
    for (int i = 0; i < elements_per_lane; ++i) {
      if (begin + i >= count) continue;
      keys[i] = tile.load(begin + i);
      if (compare(greatest, keys[i], LessThan{})) greatest = keys[i];
    }
    for (int mask = warp_width / 2; mask > 0; mask /= 2) {
      const Key other = block.shuffle_xor(greatest, mask);
      if (compare(greatest, other, LessThan{})) greatest = other;
    }
    FATHOM_UNROLL
    for (int i = 0; i < elements_per_lane; ++i)
      if (begin + i >= count) keys[i] = greatest;
  }

  /// Keeps the smaller or the greater of each of its keys and another lane's; of equivalent ones, its own.
  template <class Block>
  FATHOM_DEVICE
  void exchange(Block& block, Registers<Key, Elements>& keys, int mask, bool greater, bool backwards) const {
    Registers<Key, Elements> others(elements_per_lane);
    FATHOM_UNROLL
    for (int i = 0; i < elements_per_lane; ++i) others[i] = block.shuffle_xor(keys[i], mask);
    FATHOM_UNROLL
    for (int i = 0; i < elements_per_lane; ++i) {
      const Key other = backwards ? others[elements_per_lane - 1 - i] : others[i];
      const Key least = compare(other, keys[i], LessThan{}) ? other : keys[i];
      const Key greatest = compare(keys[i], other, LessThan{}) ? other : keys[i];
      keys[i] = greater ? greatest : least;
    }
  }

  /// Through shared memory, to consecutive addresses. An odd number of keys per lane avoids bank conflicts.
  template <class Block>
  FATHOM_DEVICE
  void store(Block& block, const Registers<Key, Elements>& keys, Span<Key> tile, int count) const {
    const int pitch = elements_per_lane | 1;
    const auto buffer = block.template shared<Key>(warp_width * pitch);
    FATHOM_UNROLL
    for (int i = 0; i < elements_per_lane; ++i) buffer.store(block.lane() * pitch + i, keys[i]);
    block.warp_barrier();
    FATHOM_UNROLL
    for (int i = 0; i < elements_per_lane; ++i) {
      const int at = i * warp_width + block.lane();
      const Key key = buffer.load(at / elements_per_lane * pitch + at % elements_per_lane);
      if (at < count) tile.store(at, key);
    }
  }
};

}  // namespace fathom
