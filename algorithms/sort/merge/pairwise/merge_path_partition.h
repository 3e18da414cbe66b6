// SPDX-License-Identifier: Apache-2.0
// Before a merge round: where each tile of its output begins in the runs from which it is merged.
#pragma once

#include <fathom/algorithms/block/merge_path.h>
#include <fathom/algorithms/sort/merge/runs.h>

namespace fathom {

/// splits[i] = how many elements of its pair's first run come before tile i of the output. One thread per
/// tile.
template <class Key, class LessThan>
struct MergePathPartition {
  static constexpr const char* header = "fathom/algorithms/sort/merge/pairwise/merge_path_partition.h";

  Span<const Key> input;
  Span<Index> splits;
  Index n;
  Index run;
  Index tile_size;

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const Index tile = block.index() * block.threads() + block.thread();
    if (tile * tile_size >= n) return;
    const RunPair pair = pair_around(tile * tile_size, run, n);
    splits.store(tile, merge_path(input.from(pair.a_first), pair.a_count(), input.from(pair.b_first),
                                  pair.b_count(), tile * tile_size - pair.a_first, LessThan{}));
  }
};

}  // namespace fathom
