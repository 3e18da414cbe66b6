// SPDX-License-Identifier: Apache-2.0
// The first step of a level of a recursive radix sort: the tiles of the buckets that it splits.
#pragma once

#include <fathom/algorithms/sort/distribution/splitter/list_tiles.h>

namespace fathom {

/// Lists the tiles of each parent and clears its counters. One block per parent that there may be. The first
/// level also clears the numbers of parents of those after it.
template <class Threads = Number>
struct BeginLevel {
  static constexpr const char* header = "fathom/algorithms/sort/radix/recursive/begin_level.h";

  PartBounds parents;
  Span<u32> parent_counts;  ///< of each level
  Span<u64> counters;       ///< of each parent's buckets
  ListedTiles tiles;
  int ways;
  Threads threads_per_block;

  /// Blocks take places in the list from each other.
  static constexpr bool blocks_communicate = true;

  static int shared_memory() { return shared_bytes<u32>(1); }

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const auto place = block.template shared<u32>(1);
    if (tiles.level == 0)
      for (int i = 1 + block.thread(); i < tiles.levels; i += threads_per_block) parent_counts.store(i, 0);
    else if (block.index() >= parent_counts.load(tiles.level))
      return;
    for (int i = block.thread(); i < ways; i += threads_per_block)
      counters.store(block.index() * ways + i, 0);
    tiles.add(block, threads_per_block, parents.begin(block.index()), parents.end(block.index()), place);
  }
};

}  // namespace fathom
