// SPDX-License-Identifier: Apache-2.0
// GPU-Warpsort on the device (Ye et al. 2010; agpu2015): warps sort runs and merge pairs of runs by bitonic
// networks, without waiting for other warps.
#pragma once

#include <fathom/algorithms/launch.h>
#include <fathom/algorithms/sort/merge/bitonic/bitonic_sort_tiles.h>
#include <fathom/algorithms/sort/merge/pairwise/merge_path_partition.h>
#include <fathom/algorithms/sort/merge/warp/merge_by_warps.h>
#include <fathom/device/prepared_plan.h>

namespace fathom {

/// The kernels and work space for sorting up to n keys. Not stable. Key: any trivially copyable type of whole
/// words; LessThan: any stateless strict weak order.
///
/// Departures from the source. The runs that the warps of a block have sorted are merged in the same kernel,
/// by the same network. A lane holds several elements, so a warp merges warp × elements keys at a time, not a
/// warp's width. Every merge is cut by merge path into pieces of the same size, one per warp, from the first
/// round on; the source cuts the runs by splitters once too few runs are left, and its pieces differ in size.
template <class Key, class LessThan>
class SortWarp {
  using Sort = BitonicSortTiles<Key, LessThan>;
  using Partition = MergePathPartition<Key, LessThan>;
  using Merge = MergeByWarps<Key, LessThan>;

 public:
  /// A warp merges `blocks` blocks of warp × elements keys; at most threads/16, so that a piece lies in one
  /// pair of runs. All three are powers of two.
  SortWarp(Executor& executor, Index n, int threads, int elements, int blocks)
      : n_(n),
        threads_(threads),
        elements_(elements),
        blocks_(blocks),
        plan_(executor, plan(n, threads, elements, blocks, executor.plan_device())),
        other_(executor, std::size_t(n)),
        splits_(executor, std::size_t(ceil_div(n, piece_size()))) {}

  /// The sort of the runs, and for each merge round the partition and the merge.
  static Plan plan(Index n, int threads, int elements, int blocks, const PlanDevice& device) {
    const Index first_run = Index(threads) * elements;
    const Launch sort = launch_of_tiles<Sort>(n, first_run, {threads, Sort::shared_memory(threads, elements)},
                                              {threads, elements});
    double rounds = 0;
    for (Index run = first_run; run < n; run *= 2) ++rounds;
    if (rounds == 0) return {sort};
    constexpr int threads_of_partition = 128;
    const Index piece = Index(warp_width) * elements * blocks;
    const Launch partition =
        launch_of_tiles<Partition>(n, piece * threads_of_partition, {threads_of_partition}, {}, rounds);
    const Launch merge = launch_of_tiles<Merge>(n, piece * (threads / warp_width),
                                                {threads, Merge::shared_memory(threads, elements)},
                                                {threads, elements}, rounds);
    return {sort, partition, with_room_in_l1(merge, device)};
  }

  /// Queues the sort of `input` into `output`; both have n keys and do not overlap.
  void run(Span<const Key> input, Span<Key> output) {
    if (n_ == 0) return;
    const bool even = plan_.size() == 1 || int(plan_[1].repeats) % 2 == 0;
    // Start in the array for which this number of rounds ends in `output`.
    Span<Key> from = even ? output : other_.span(), to = even ? other_.span() : output;
    plan_.launch(0, Sort{input, from, n_, threads_, elements_});
    for (Index run = Index(threads_) * elements_; run < n_; run *= 2) {
      const Span<const Key> runs{from.data, from.count};
      plan_.launch(1, Partition{runs, splits_.span(), n_, run, piece_size()});
      plan_.launch(2,
                   Merge{runs, to, {splits_.data(), splits_.size()}, n_, run, blocks_, threads_, elements_});
      std::swap(from, to);
    }
  }

  std::vector<KernelResources> kernels() const { return plan_.resources(); }

 private:
  Index piece_size() const { return Index(warp_width) * elements_ * blocks_; }

  Index n_;
  int threads_, elements_, blocks_;
  PreparedPlan plan_;
  DeviceArray<Key> other_;  // rounds alternate between this and the output
  DeviceArray<Index> splits_;
};

}  // namespace fathom
