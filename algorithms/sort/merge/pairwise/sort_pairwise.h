// SPDX-License-Identifier: Apache-2.0
// Pairwise mergesort on the device: sort tiles, then merge pairs of runs, round by round (karsin2018 §4.1).
#pragma once

#include <fathom/algorithms/launch.h>
#include <fathom/algorithms/sort/device_list.h>
#include <fathom/algorithms/sort/merge/pairwise/block_sort.h>
#include <fathom/algorithms/sort/merge/pairwise/conflict_free_block_sort.h>
#include <fathom/algorithms/sort/merge/pairwise/conflict_free_merge_tiles.h>
#include <fathom/algorithms/sort/merge/pairwise/merge_path_partition.h>
#include <fathom/algorithms/sort/merge/pairwise/merge_tiles.h>
#include <fathom/device/prepared_plan.h>

namespace fathom {

/// The kernels and work space for sorting up to n elements: keys, or records of a key and a value
/// (records.h). Keys are of any trivially copyable type of whole words; LessThan is any stateless strict weak
/// order of keys. `Sort` sorts tiles, and `Merge` merges pairs of runs.
template <class Element, class LessThan, class Sort, class Merge>
class PairwiseMergesort {
  using Partition = MergePathPartition<KeyOf<Element>, LessThan>;

 public:
  PairwiseMergesort(Executor& executor, Index n, int threads, int elements)
      : PairwiseMergesort(executor, n, threads, elements,
                          plan(n, threads, elements, executor.plan_device())) {}
  /// With a plan that differs from plan()'s only in carve-outs.
  PairwiseMergesort(Executor& executor, Index n, int threads, int elements, Plan plan)
      : n_(n),
        threads_(threads),
        elements_(elements),
        plan_(executor, std::move(plan)),
        other_(executor, std::size_t(n)),
        splits_(executor, std::size_t(plan_[0].blocks)) {}

  /// The block sort, and for each merge round the partition and the merge.
  static Plan plan(Index n, int threads, int elements, const PlanDevice& device) {
    const Index tile_size = Index(threads) * elements;
    double rounds = 0;
    for (Index run = tile_size; run < n; run *= 2) ++rounds;
    const Launch sort = launch_of_tiles<Sort>(n, tile_size, {threads, Sort::shared_memory(threads, elements)},
                                              {threads, elements});
    if (rounds == 0) return {sort};
    constexpr int threads_of_partition = 128;
    const Launch partition =
        launch_of_tiles<Partition>(n, tile_size * threads_of_partition, {threads_of_partition}, {}, rounds);
    const Launch merge = launch_of_tiles<Merge>(
        n, tile_size, {threads, Merge::shared_memory(threads, elements)}, {threads, elements}, rounds);
    return {sort, partition, with_room_in_l1(merge, device)};
  }

  /// Queues the sort of `input` into `output`; both have n elements and do not overlap.
  void run(ConstListOf<Element> input, ListOf<Element> output) {
    if (n_ == 0) return;
    const Index tile_size = Index(threads_) * elements_;
    const bool even = plan_.size() == 1 || int(plan_[1].repeats) % 2 == 0;
    // Start in the array for which this number of rounds ends in `output`.
    ListOf<Element> from = even ? output : other_.list(), to = even ? other_.list() : output;
    plan_.launch(0, Sort{input, from, n_, threads_, elements_});
    for (Index run = tile_size; run < n_; run *= 2) {
      const ConstListOf<Element> runs = read_only(from);
      plan_.launch(1, Partition{keys_of(runs), splits_.span(), n_, run, tile_size});
      plan_.launch(2, Merge{runs, to, {splits_.data(), splits_.size()}, n_, run, threads_, elements_});
      std::swap(from, to);
    }
  }

  std::vector<KernelResources> kernels() const { return plan_.resources(); }

 private:
  Index n_;
  int threads_, elements_;
  PreparedPlan plan_;
  DeviceList<Element> other_;  // rounds alternate between this and the output
  DeviceArray<Index> splits_;
};

/// Values are of any trivially copyable type of whole words; Stable keeps the order of equal keys.
template <class Element, class LessThan, class Stability = Unstable>
using SortPairwise = PairwiseMergesort<Element, LessThan, BlockSort<Element, LessThan, Stability>,
                                       MergeTiles<Element, LessThan, Stability>>;

/// The same time for every input: merges have no bank conflicts. E is a power of two up to 32.
template <class Element, class LessThan>
using SortConflictFree = PairwiseMergesort<Element, LessThan, ConflictFreeBlockSort<Element, LessThan>,
                                           ConflictFreeMergeTiles<Element, LessThan>>;

}  // namespace fathom
