// SPDX-License-Identifier: Apache-2.0
// Batcher's bitonic sort on the device (agpu2015, after Batcher 1968): sort tiles, then merge runs of
// doubling length by a network over all keys.
#pragma once

#include <fathom/algorithms/launch.h>
#include <fathom/algorithms/sort/merge/bitonic/bitonic_merge_steps.h>
#include <fathom/algorithms/sort/merge/bitonic/bitonic_merge_tiles.h>
#include <fathom/algorithms/sort/merge/bitonic/bitonic_sort_tiles.h>
#include <fathom/device/prepared_plan.h>

namespace fathom {

/// The kernels for sorting up to n keys, in place after the first pass. Not stable. Key: any trivially
/// copyable type of whole words; LessThan: any stateless strict weak order.
///
/// Tiles have threads × elements keys, both powers of two; n is any number. A merge of runs of 2^r tiles has
/// r + 1 steps between tiles. Departure from the source: a pass over all keys does `steps` of these, not one,
/// on 2^steps keys per thread. The last pass of a merge may begin the steps within tiles; repeated for the
/// tile, they change nothing.
template <class Key, class LessThan>
class SortBitonic {
  using Sort = BitonicSortTiles<Key, LessThan>;
  using Steps = BitonicMergeSteps<Key, LessThan>;
  using Merge = BitonicMergeTiles<Key, LessThan>;

 public:
  SortBitonic(Executor& executor, Index n, int threads, int elements, int steps)
      : n_(n),
        threads_(threads),
        elements_(elements),
        steps_(steps),
        plan_(executor, plan(n, threads, elements, steps, executor.plan_device())) {}

  /// The sort of the tiles, the merges of the tiles, then each pass between tiles.
  static Plan plan(Index n, int threads, int elements, int steps, const PlanDevice&) {
    const Index tile_size = Index(threads) * elements;
    Plan plan{launch_of_tiles<Sort>(n, tile_size, {threads, Sort::shared_memory(threads, elements)},
                                    {threads, elements})};
    Launch merge = launch_of_tiles<Merge>(n, tile_size, {threads, Merge::shared_memory(threads, elements)},
                                          {threads, elements}, 0);
    merge.in_place = true;
    for (int log_size = log2_of(int(tile_size)) + 1; Index(1) << (log_size - 1) < n; ++log_size) {
      if (merge.repeats++ == 0) plan.push_back(merge);
      for (const Pass& pass : passes(log_size, tile_size, steps)) {
        Launch& launch =
            plan.emplace_back(launch_of_tiles<Steps>(n, Index(threads) << steps, {threads}, {1 << steps}));
        launch.blocks = pass.blocks(n, threads, steps);
        launch.in_place = true;
      }
    }
    if (plan.size() > 1) plan[1].repeats = merge.repeats;
    return plan;
  }

  /// Queues the sort of `input` into `output`; both have n keys and do not overlap.
  void run(Span<const Key> input, Span<Key> output) {
    if (n_ == 0) return;
    const Index tile_size = Index(threads_) * elements_;
    plan_.launch(0, Sort{input, output, n_, threads_, elements_});
    std::size_t next = 2;
    for (int log_size = log2_of(int(tile_size)) + 1; Index(1) << (log_size - 1) < n_; ++log_size) {
      for (const Pass& pass : passes(log_size, tile_size, steps_))
        plan_.launch(next++, Steps{output, n_, pass.low, pass.mirrored, 1 << steps_});
      plan_.launch(1, Merge{output, n_, threads_, elements_});
    }
  }

  std::vector<KernelResources> kernels() const { return plan_.resources(); }

 private:
  struct Pass {
    int low;
    bool mirrored;

    /// The blocks of the threads that have a key in the first of their rows.
    Index blocks(Index n, int threads, int steps) const {
      const Index stride = Index(1) << low, group = stride << steps;
      return ceil_div(n / group * stride + min(n % group, stride), threads);
    }
  };

  /// The passes between tiles of a merge into runs of 2^log_size keys.
  static std::vector<Pass> passes(int log_size, Index tile_size, int steps) {
    std::vector<Pass> passes;
    for (int high = log_size; Index(1) << high > tile_size; high -= steps)
      passes.push_back({high - steps, high == log_size});
    return passes;
  }

  Index n_;
  int threads_, elements_, steps_;
  PreparedPlan plan_;
};

}  // namespace fathom
