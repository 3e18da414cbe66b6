// SPDX-License-Identifier: Apache-2.0
// The base case of the multiway mergesorts: every warp sorts w keys for each key of a lane (agpu2015 §7.3: w,
// karsin2018 §5: w²), without bank conflicts.
#pragma once

#include <fathom/algorithms/block/exchange.h>
#include <fathom/algorithms/block/load.h>
#include <fathom/algorithms/block/records.h>

namespace fathom {

/// Every lane sorts its keys in registers; then the runs of lanes are merged pairwise by shuffles. One warp
/// and one tile per block.
template <class Element, class LessThan, class Elements = Number>
struct SortInWarp {
  static constexpr const char* header = "fathom/algorithms/sort/merge/sort_in_warp.h";

  using Order = OrderOf<Element, LessThan>;

  ConstListOf<Element> input;
  ListOf<Element> output;
  Index n;
  Elements elements_per_lane;

  static int shared_memory(int elements) {
    return shared_bytes<Element>(1) + shared_bytes<Element>(warp_width * (elements | 1));
  }

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const auto range = TileRange::number(block.index(), warp_width * elements_per_lane, n);
    Registers<Element, Elements> keys(elements_per_lane);
    const auto scratch = block.template shared<Element>(1);
    // It does not matter which lane sorts which keys of a whole tile.
    if (range.is_whole()) {
      load_strided(keys, elements_per_lane, block.lane(), warp_width,
                   [&](int at) { return input.load(range.first + at); });
    } else {
      read_partial_tile(block, input.from(range.first), range.count, scratch,
                        tile_layout(block.lane(), elements_per_lane, 0), keys, Order{});
    }
    odd_even_merge_sort(keys, elements_per_lane, Order{});
    FATHOM_NO_UNROLL
    for (int width = 2; width <= warp_width; width *= 2) {
      // The second run is read backwards: the mirror image of a key's position in both runs together.
      exchange(block, keys, width - 1, block.lane() & (width / 2), true);
      FATHOM_NO_UNROLL
      for (int distance = width / 4; distance > 0; distance /= 2)
        exchange(block, keys, distance, block.lane() & distance, false);
      bitonic_merge(keys, elements_per_lane, Order{});
    }
    store(block, keys, output.from(range.first), range.count);
  }

 private:
  /// Keeps the smaller or the greater of each of its keys and another lane's; of equivalent ones, its own.
  template <class Block>
  FATHOM_DEVICE
  void exchange(Block& block, Registers<Element, Elements>& keys, int mask, bool greater,
                bool backwards) const {
    Registers<Element, Elements> others(elements_per_lane);
    FATHOM_UNROLL
    for (int i = 0; i < elements_per_lane; ++i) others[i] = block.shuffle_xor(keys[i], mask);
    FATHOM_UNROLL
    for (int i = 0; i < elements_per_lane; ++i) {
      const Element other = backwards ? others[elements_per_lane - 1 - i] : others[i];
      keys[i] = of_pair(keys[i], other, greater, Order{});
    }
  }

  /// Through shared memory, to consecutive addresses. An odd number of keys per lane avoids bank conflicts.
  template <class Block>
  FATHOM_DEVICE
  void store(Block& block, const Registers<Element, Elements>& keys, ListOf<Element> tile, int count) const {
    const int pitch = elements_per_lane | 1;
    const auto buffer = block.template shared<Element>(warp_width * pitch);
    FATHOM_UNROLL
    for (int i = 0; i < elements_per_lane; ++i) buffer.store(block.lane() * pitch + i, keys[i]);
    block.warp_barrier();
    FATHOM_UNROLL
    for (int i = 0; i < elements_per_lane; ++i) {
      const int at = i * warp_width + block.lane();
      const Element key = buffer.load(at / elements_per_lane * pitch + at % elements_per_lane);
      if (at < count) tile.store(at, key);
    }
  }
};

}  // namespace fathom
