// SPDX-License-Identifier: Apache-2.0
// Merges runs of any lengths: every block writes one tile.
#pragma once

#include <fathom/algorithms/gpus/listed_runs.h>
#include <fathom/algorithms/sort/merge/kway/merge_parts.h>

namespace fathom {

/// Merges all runs, as SelectTiles cut them, as a pass of the K-way mergesort does its groups of runs: of the
/// result as many tiles as there are blocks, from `first_tile` on.
template <class Element, class LessThan, class Stability = Unstable, class Ways = Number,
          class Threads = Number, class Elements = Number>
struct MergeListedRuns {
  static constexpr const char* header = "fathom/algorithms/gpus/merge_listed_runs.h";

  using Parts = PartsInBlock<Element>;
  using Order = OrderOf<Element, LessThan, Stability>;

  ConstListOf<Element> input;
  ListOf<Element> output;
  Span<const Index> splits;
  ListedRuns runs;
  Index first_tile;  ///< which becomes the first elements of the output
  int tile_size;
  Ways ways;
  Threads threads_per_block;
  Elements elements_per_thread;

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const Index tile = first_tile + block.index(), left = runs.elements() - tile * tile_size;
    if (left <= 0) return;
    const Parts parts = Parts::in(block, ways, threads_per_block, elements_per_thread);
    const int count = int(min<Index>(left, tile_size));
    find_parts(block, tile, left <= tile_size, count, parts);
    block.barrier();
    merge_parts<Element, Order>(
        block, input, parts, ways, elements_per_thread,
        [&] { return output.from(block.index() * tile_size); }, count);
  }

 private:
  /// Which elements of each run belong to the tile.
  template <class Block>
  FATHOM_DEVICE
  void find_parts(Block& block, Index tile, bool is_last, int count, const Parts& parts) const {
    if (block.warp() > 0) return;
    const int k = block.lane();
    int size = 0;
    if (k < ways) {
      const Index begin = splits.load(tile * ways + k);
      const Index end = is_last ? runs.count_of(k) : splits.load((tile + 1) * ways + k);
      parts.part_begin.store(k, runs.begin_of(k) + begin);
      size = int(end - begin);
    }
    const int up_to_here = inclusive_scan_lanes(block, size, k, ways, Plus{});
    if (k < ways) parts.part_first.store(k, up_to_here - size);
    if (k == ways) parts.part_first.store(k, count);
  }
};

}  // namespace fathom
