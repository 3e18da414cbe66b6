// SPDX-License-Identifier: Apache-2.0
// How a level begins: the tiles of its parents are listed.
#pragma once

#include <fathom/algorithms/sort/distribution/splitter/buckets.h>

namespace fathom {

/// Where the tiles of a level's parents are listed.
struct ListedTiles {
  int tile_size;
  int levels;
  int level;
  Span<TileOfBucket> list;  ///< empty at the first level
  Span<u32> counts;         ///< of the tiles of each level; cleared by the first

  /// All threads of a block list the tiles of its parent, at [begin, end). Blocks take places in the list
  /// from each other. `place` is a word in shared memory. A barrier at the end.
  template <class Block, class Threads>
  FATHOM_DEVICE
  void add(Block& block, Threads threads, Index begin, Index end, Shared<u32> place) const {
    if (level == 0) {
      for (int i = block.thread(); i < levels; i += threads) counts.store(i, 0);
      block.barrier();
      return;
    }
    const Index count = tiles_between(begin, end, tile_size);
    if (block.thread() == 0) place.store(0, counts.atomic_add_relaxed(level, u32(count)));
    block.barrier();
    const Index first = place.load(0);
    for (Index i = block.thread(); i < count; i += threads)
      list.store(first + i, {u32(block.index()), u32(i)});
  }
};

}  // namespace fathom
