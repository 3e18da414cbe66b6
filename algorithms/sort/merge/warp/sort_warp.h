// SPDX-License-Identifier: Apache-2.0
// GPU-Warpsort on the device (Ye et al. 2010; agpu2015): warps sort runs and merge pairs of runs by bitonic
// networks, without waiting for other warps.
#pragma once

#include <fathom/algorithms/launch.h>
#include <fathom/algorithms/sort/merge/bitonic/bitonic_sort_tiles.h>
#include <fathom/algorithms/sort/merge/pairwise/merge_path_partition.h>
#include <fathom/algorithms/sort/merge/sort_in_warp.h>
#include <fathom/algorithms/sort/merge/warp/merge_by_warps.h>
#include <fathom/device/prepared_plan.h>

namespace fathom {

/// The kernels and work space for sorting up to n keys. Not stable. Key: any trivially copyable type of whole
/// words; LessThan: any stateless strict weak order.
///
/// Departures from the source, which has one element per lane. With more, a warp merges warp × elements keys
/// at a time, not a warp's width, and the runs that the warps of a block have sorted are merged in the same
/// kernel, by the same network. Every merge is cut by merge path into pieces of the same size, one per warp,
/// from the first round on; the source cuts the runs by splitters once too few runs are left, and its pieces
/// differ in size.
template <class Key, class LessThan>
class SortWarp {
  using WarpSort = SortInWarp<Key, LessThan>;
  using TileSort = BitonicSortTiles<Key, LessThan>;
  using Partition = MergePathPartition<Key, LessThan>;
  using Merge = MergeByWarps<Key, LessThan>;

 public:
  /// A warp merges `blocks` blocks of warp × elements keys, or as many as a pair of runs has. `blocks` is at
  /// most threads/16. All three are powers of two.
  SortWarp(Executor& executor, Index n, int threads, int elements, int blocks)
      : n_(n),
        threads_(threads),
        elements_(elements),
        blocks_(blocks),
        plan_(executor, plan(n, threads, elements, blocks, executor.plan_device())),
        other_(executor, std::size_t(n)),
        splits_(executor, std::size_t(ceil_div(n, piece_size(first_run(threads, elements))))) {}

  /// The sort of the runs, and for each merge round the partition and the merge. The first rounds of short
  /// runs have launches of their own, as their pieces are smaller.
  static Plan plan(Index n, int threads, int elements, int blocks, const PlanDevice& device) {
    const Index first = first_run(threads, elements);
    Plan launches{sort_of_runs(n, threads, elements)};
    Index piece = 0;
    for (Index run = first; run < n; run *= 2) {
      if (piece == piece_of(run, elements, blocks)) {
        for (std::size_t i : {launches.size() - 2, launches.size() - 1}) ++launches[i].repeats;
        continue;
      }
      piece = piece_of(run, elements, blocks);
      launches.push_back(launch_of_tiles<Partition>(n, piece * threads_of_partition, {threads_of_partition}));
      launches.push_back(with_room_in_l1(
          launch_of_tiles<Merge>(n, piece * (threads / warp_width),
                                 {threads, Merge::shared_memory(threads, elements)}, {threads, elements}),
          device));
    }
    return launches;
  }

  /// Queues the sort of `input` into `output`; both have n keys and do not overlap.
  void run(Span<const Key> input, Span<Key> output) {
    if (n_ == 0) return;
    const Index first = first_run(threads_, elements_);
    bool even = true;
    for (Index run = first; run < n_; run *= 2) even = !even;
    // Start in the array for which this number of rounds ends in `output`.
    Span<Key> from = even ? output : other_.span(), to = even ? other_.span() : output;
    if (elements_ == 1)
      plan_.launch(0, WarpSort{input, from, n_, elements_});
    else
      plan_.launch(0, TileSort{input, from, n_, threads_, elements_});
    std::size_t round = 1;  // in the plan; the last one repeats
    for (Index run = first; run < n_; run *= 2) {
      const Span<const Key> runs{from.data, from.count};
      const Index piece = piece_size(run);
      const Span<Index> splits{splits_.data(), u64(ceil_div(n_, piece))};
      plan_.launch(round, Partition{runs, splits, n_, run, piece});
      plan_.launch(
          round + 1,
          Merge{runs, to, {splits.data, splits.count}, n_, run, blocks_of(piece), threads_, elements_});
      if (round + 2 < plan_.size()) round += 2;
      std::swap(from, to);
    }
  }

  std::vector<KernelResources> kernels() const { return plan_.resources(); }

 private:
  static constexpr int threads_of_partition = 128;

  /// With one element per lane the source's: a warp's width.
  static Index first_run(int threads, int elements) {
    return elements == 1 ? Index(warp_width) : Index(threads) * elements;
  }
  static Launch sort_of_runs(Index n, int threads, int elements) {
    const Index run = first_run(threads, elements);
    return elements == 1
               ? launch_of_tiles<WarpSort>(n, run, {warp_width, WarpSort::shared_memory(elements)},
                                           {elements})
               : launch_of_tiles<TileSort>(n, run, {threads, TileSort::shared_memory(threads, elements)},
                                           {threads, elements});
  }
  /// What a warp merges of a pair of runs of length `run`.
  static Index piece_of(Index run, int elements, int blocks) {
    return min(Index(warp_width) * elements * blocks, 2 * run);
  }
  Index piece_size(Index run) const { return piece_of(run, elements_, blocks_); }
  int blocks_of(Index piece) const { return int(piece / (warp_width * elements_)); }

  Index n_;
  int threads_, elements_, blocks_;
  PreparedPlan plan_;
  DeviceArray<Key> other_;  // rounds alternate between this and the output
  DeviceArray<Index> splits_;
};

}  // namespace fathom
