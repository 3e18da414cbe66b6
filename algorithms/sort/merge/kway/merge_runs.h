// SPDX-License-Identifier: Apache-2.0
// A pass of the K-way mergesort: every block writes one tile of the merged runs.
#pragma once

#include <fathom/algorithms/sort/merge/kway/merge_parts.h>
#include <fathom/algorithms/sort/merge/kway/multiway_partition.h>

namespace fathom {

/// Merges groups of K runs, as partitioned by MultiwayPartition. One block per tile, which reads its part of
/// each run, merges the parts and writes the tile.
template <class Element, class LessThan, class Stability = Unstable, class Ways = Number,
          class Threads = Number, class Elements = Number>
struct MergeRuns {
  static constexpr const char* header = "fathom/algorithms/sort/merge/kway/merge_runs.h";

  using Parts = PartsInBlock<Element>;
  using Order = OrderOf<Element, LessThan, Stability>;

  ConstListOf<Element> input;
  ListOf<Element> output;
  Span<const Index> splits;
  Index n;
  Index run;
  int tile_size;
  Ways ways;
  Threads threads_per_block;
  Elements elements_per_thread;

  static int largest_tile(int ways, int threads, int elements) {
    return largest_tile_of_parts(ways, threads, elements);
  }
  static int shared_memory(int ways, int threads, int elements) {
    return Parts::bytes(ways, threads, elements);
  }

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const GroupTile place = GroupTile::number(block.index(), n, run, ways, tile_size);
    if (place.count <= 0) return;

    const Parts parts = Parts::in(block, ways, threads_per_block, elements_per_thread);
    find_parts(block, place, parts.part_begin, parts.part_first);
    block.barrier();
    merge_parts<Element, Order>(
        block, input, parts, ways, elements_per_thread,
        [&] { return output.from(place.group.first + place.begin); }, place.count);
  }

 private:
  /// Which elements of each run belong to the tile.
  template <class Block>
  FATHOM_DEVICE
  void find_parts(Block& block, const GroupTile& of, Shared<Index> part_begin, Shared<int> part_first) const {
    if (block.warp() > 0) return;
    const int k = block.lane();
    int size = 0;
    if (k < ways) {
      const Index begin = splits.load(block.index() * ways + k);
      const Index end = of.last ? of.group.count_of(k) : splits.load((block.index() + 1) * ways + k);
      part_begin.store(k, of.group.begin_of(k) + begin);
      size = int(end - begin);
    }
    const int up_to_here = inclusive_scan_lanes(block, size, k, ways, Plus{});
    if (k < ways) part_first.store(k, up_to_here - size);
    if (k == ways) part_first.store(k, of.count);
  }
};

}  // namespace fathom
