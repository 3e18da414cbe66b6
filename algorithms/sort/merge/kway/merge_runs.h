// SPDX-License-Identifier: Apache-2.0
// A pass of the K-way mergesort: every block writes one tile of the merged runs.
#pragma once

#include <fathom/algorithms/block/merge.h>
#include <fathom/algorithms/block/scan.h>
#include <fathom/algorithms/block/store.h>
#include <fathom/algorithms/sort/merge/kway/multiway_partition.h>
#include <fathom/algorithms/sort/merge/kway/read_parts.h>

namespace fathom {

/// Merges groups of K runs, as partitioned by MultiwayPartition. One block per tile, which reads its part of
/// each run, merges the parts pairwise in log K levels in shared memory, and writes the tile: the data pass
/// through global memory once for log K levels.
template <class Element, class LessThan, class Stability = Unstable, class Ways = Number,
          class Threads = Number, class Elements = Number>
struct MergeRuns {
  static constexpr const char* header = "fathom/algorithms/sort/merge/kway/merge_runs.h";

  using Tile = TileOf<Element>;
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

  /// The most elements that a tile may have, in whole rows of a warp. At every level each pair of lists
  /// occupies whole shares of E, the last of which may be nearly empty.
  static int largest_tile(int ways, int threads, int elements) {
    return (threads * elements - ways / 2 * (elements - 1)) / warp_width * warp_width;
  }
  static int shared_memory(int ways, int threads, int elements) {
    return Tile::bytes(threads * elements) + shared_bytes<int>(threads) + shared_bytes<Index>(ways) +
           shared_bytes<int>(ways + 1);
  }

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const GroupTile place = GroupTile::number(block.index(), n, run, ways, tile_size);
    const int count = place.count;
    if (count <= 0) return;

    const auto tile = Tile::in(block, threads_per_block * elements_per_thread);
    const auto split_of_thread = block.template shared<int>(threads_per_block);
    const auto part_begin = block.template shared<Index>(ways);    // in the input
    const auto part_first = block.template shared<int>(ways + 1);  // elements of the parts before it
    find_parts(block, place, part_begin, part_first);
    block.barrier();
    read_parts<Element>(block, input, ways, part_begin, part_first, tile);
    pad_tile(block, elements_per_thread, tile, count);
    block.barrier();

    Registers<Element, Elements> sorted(elements_per_thread);
    for (int merged = 2; merged <= ways; merged *= 2) {  // parts in a list after this level
      const PairShare pair = share_of_thread(block.thread(), merged, part_first);
      merge_share(sorted, elements_per_thread, tile, pair, split_of_thread, block.thread(), Order{},
                  [&] { block.barrier(); });
      block.barrier();
      if (merged < ways) {
        const int at = pair.a_first + pair.share * elements_per_thread;
        if (at + elements_per_thread <= pair.end) {
          store_consecutive(tile.from(at), 0, elements_per_thread, sorted);
        } else {
          FATHOM_UNROLL
          for (int i = 0; i < elements_per_thread; ++i)
            if (at + i < pair.end) tile.store(at + i, sorted[i]);
        }
        block.barrier();
      }
    }
    write_tile(block, sorted, elements_per_thread, tile, output.from(place.group.first + place.begin), count);
  }

 private:
  /// Which pair of lists a thread works on at a level after which a list holds `merged` parts.
  FATHOM_DEVICE
  PairShare share_of_thread(int thread, int merged, Shared<int> part_first) const {
    PairShare pair{0, 0, 0, thread, false};
    for (int part = 0;;) {
      pair.a_first = pair.end;
      pair.b_first = part_first.load(part + merged / 2);
      pair.end = part_first.load(part + merged);
      part += merged;
      const int shares = (pair.end - pair.a_first + elements_per_thread - 1) / elements_per_thread;
      pair.last = pair.share >= shares - 1;
      if (pair.share < shares || part >= ways) return pair;
      pair.share -= shares;
    }
  }

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
