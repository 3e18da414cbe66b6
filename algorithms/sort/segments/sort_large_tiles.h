// SPDX-License-Identifier: Apache-2.0
// The first step for the lists of a segmented sort that are larger than a block's tile: their tiles are
// sorted.
#pragma once

#include <fathom/algorithms/sort/segments/large_lists.h>
#include <fathom/algorithms/sort/segments/sort_shares.h>

namespace fathom {

/// Sorts each tile of the large lists from `input` to where the merges of its list begin. A fixed grid, whose
/// blocks take one tile after another.
template <class Element, class LessThan, class Threads = Number, class Elements = Number>
struct SortLargeTiles {
  static constexpr const char* header = "fathom/algorithms/sort/segments/sort_large_tiles.h";

  using Sort = ShareSort<Element, LessThan, Threads, Elements>;

  ConstListOf<Element> input;
  ListOf<Element> output;
  ListOf<Element> other;
  LargeLists large;
  Threads threads_per_block;
  Elements elements_per_thread;

  static constexpr int least_resident_blocks() { return Sort::least_resident_blocks(); }
  static int shared_memory(int threads, int elements) { return Sort::shared_memory(threads, elements); }

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const Sort sort(block, threads_per_block, elements_per_thread);
    const int tile_size = threads_per_block * elements_per_thread;
    const Index tiles = Index(large.totals.load(LargeLists::tile_count));
    FATHOM_NO_UNROLL
    for (Index place = block.index(); place < tiles; place += block.blocks()) {
      const LargeTile tile = large.tiles.load(place);
      const ListOf<Element> to = tile.rounds % 2 == 0 ? output : other;
      sort.sort_one(block, input.from(tile.first(tile_size)), to.from(tile.first(tile_size)),
                    tile.count(tile_size));
    }
  }
};

}  // namespace fathom
