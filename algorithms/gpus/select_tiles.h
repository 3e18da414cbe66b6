// SPDX-License-Identifier: Apache-2.0
// Before a merge of runs of any lengths: where each tile of its output begins in the runs.
#pragma once

#include <fathom/algorithms/block/multiway_select.h>
#include <fathom/algorithms/gpus/listed_runs.h>

namespace fathom {

/// splits[K·i + k] = how many elements of run k come before tile i of the output; equal elements come from
/// the earlier run first. K neighbouring lanes per tile, one per run.
template <class Key, class LessThan, class Ways = Number>
struct SelectTiles {
  static constexpr const char* header = "fathom/algorithms/gpus/select_tiles.h";

  Span<const Key> input;
  Span<Index> splits;
  ListedRuns runs;
  Index longest;  ///< of the runs, at least 1
  int tile_size;
  Ways ways;

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const Index tile = (block.index() * block.threads() + block.thread()) / ways;
    const int k = block.lane() % ways;
    const bool in_data = tile * tile_size < runs.elements();
    const MultiwaySelect<Key, LessThan, Ways> select{input.from(in_data ? runs.begin_of(k) : 0),
                                                     in_data ? runs.count_of(k) : 0, longest, ways};
    const Index selected = select(block, in_data ? tile * tile_size : 0);
    if (in_data) splits.store(tile * ways + k, selected);
  }
};

}  // namespace fathom
