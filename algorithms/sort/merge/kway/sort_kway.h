// SPDX-License-Identifier: Apache-2.0
// K-way mergesort on the device: sort tiles, then merge groups of K runs, pass by pass.
#pragma once

#include <fathom/algorithms/launch.h>
#include <fathom/algorithms/sort/device_list.h>
#include <fathom/algorithms/sort/merge/kway/merge_runs.h>
#include <fathom/algorithms/sort/merge/multiway_passes.h>
#include <fathom/algorithms/sort/merge/pairwise/block_sort.h>
#include <fathom/device/prepared_plan.h>

namespace fathom {

/// The kernels and work space for sorting up to n elements: keys, or records of a key and a value
/// (records.h). Keys are of any trivially copyable type of whole words; LessThan is any stateless strict weak
/// order of keys. Stable, of records, keeps the order of equal keys.
template <class Element, class LessThan, class Stability = Unstable>
class SortKway {
  using Sort = BlockSort<Element, LessThan, Stability>;
  using Partition = MultiwayPartition<KeyOf<Element>, LessThan>;
  using Merge = MergeRuns<Element, LessThan, Stability>;

 public:
  /// K, t and E.
  SortKway(Executor& executor, Index n, int ways, int threads, int elements)
      : n_(n),
        threads_(threads),
        elements_(elements),
        passes_(passes(n, ways, threads, elements)),
        plan_(executor, plan(n, ways, threads, elements, executor.plan_device())),
        other_(executor, std::size_t(plan_.size() > 1 ? n : 0)),
        // The first pass has the most tiles, and the most runs.
        splits_(executor, std::size_t(plan_.size() > 1 ? plan_[2].blocks * plan_[2].constants[0] : 0)) {}

  /// The sort of the tiles, and the partition and the merge of the wide passes and of the narrow ones.
  static Plan plan(Index n, int ways, int threads, int elements, const PlanDevice& device) {
    const Passes passes = SortKway::passes(n, ways, threads, elements);
    Plan plan{launch_of_tiles<Sort>(n, passes.first_run, {threads, Sort::shared_memory(threads, elements)},
                                    {threads, elements})};
    constexpr int threads_of_partition = 64;
    Index run = passes.first_run;
    const auto add = [&](int ways, int count) {
      if (count == 0) return;
      // Of these passes the first has the shortest groups, and so the most tiles.
      const Index tiles = tiles_of_pass(n, run, ways, passes.tile_size), tile = ceil_div(n, tiles);
      Launch partition = launch_of_tiles<Partition>(n, tile * threads_of_partition / ways,
                                                    {threads_of_partition}, {ways}, count);
      partition.blocks = ceil_div(tiles * ways, threads_of_partition);
      Launch merge = launch_of_tiles<Merge>(n, tile, {threads, Merge::shared_memory(ways, threads, elements)},
                                            {ways, threads, elements}, count);
      merge.blocks = tiles;
      for (Launch* launch : {&partition, &merge}) launch->kernel = &variant_of(*launch->kernel, ways);
      plan.push_back(partition);
      plan.push_back(with_room_in_l1(merge, device));
      for (int i = 0; i < count; ++i) run *= ways;
    };
    add(passes.ways, passes.widths.wide);
    add(passes.ways / 2, passes.widths.narrow);
    return plan;
  }

  /// Queues the sort of `input` into `output`; both have n elements and do not overlap.
  void run(ConstListOf<Element> input, ListOf<Element> output) {
    if (n_ == 0) return;
    const int passes = passes_.widths.count();
    // Start in the array for which this number of passes ends in `output`.
    ListOf<Element> from = passes % 2 == 0 ? output : other_.list(),
                    to = passes % 2 == 0 ? other_.list() : output;
    plan_.launch(0, Sort{input, from, n_, threads_, elements_});
    Index run = passes_.first_run;
    for (int pass = 0; pass < passes; ++pass) {
      const bool wide = pass < passes_.widths.wide;
      const int ways = wide ? passes_.ways : passes_.ways / 2;
      const std::size_t first = wide || passes_.widths.wide == 0 ? 1 : 3;
      const ConstListOf<Element> runs = read_only(from);
      plan_.launch(first, Partition{keys_of(runs), splits_.span(), n_, run, passes_.tile_size, ways});
      plan_.launch(first + 1, Merge{runs,
                                    to,
                                    {splits_.data(), splits_.size()},
                                    n_,
                                    run,
                                    passes_.tile_size,
                                    ways,
                                    threads_,
                                    elements_});
      std::swap(from, to);
      run *= ways;
    }
  }

  std::vector<KernelResources> kernels() const { return plan_.resources(); }

 private:
  struct Passes {
    Index first_run;
    int tile_size, ways;
    PassWidths widths;
  };
  static Passes passes(Index n, int ways, int threads, int elements) {
    const Index tile = Index(threads) * elements;
    return {tile, Merge::largest_tile(ways, threads, elements), ways, PassWidths::of(n, tile, ways)};
  }

  Index n_;
  int threads_, elements_;
  Passes passes_;
  PreparedPlan plan_;
  DeviceList<Element> other_;  // passes alternate between this and the output
  DeviceArray<Index> splits_;
};

}  // namespace fathom
