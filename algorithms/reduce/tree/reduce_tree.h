// SPDX-License-Identifier: Apache-2.0
// Tree reduction (agpu2015): level by level, one block per 2t elements, until one is left. Preserves the
// order.
#pragma once

#include <fathom/algorithms/launch.h>
#include <fathom/algorithms/reduce/tree/reduce_segments.h>
#include <fathom/device/prepared_plan.h>

#include <algorithm>
#include <array>

namespace fathom {

/// The combination of n elements by an associative operator that has an identity. Owns its work space and can
/// run many times.
template <class T, class Operator>
class ReduceTree {
  using Kernel = ReduceSegments<T, Operator>;

 public:
  /// `threads` (t) is a power of two, at least the warp's width.
  ReduceTree(Executor& executor, Index n, int threads)
      : n_(n),
        threads_(threads),
        plan_(executor, plan(n, threads, executor.plan_device())),
        levels_{DeviceArray<T>(executor, std::size_t(plan_[0].blocks)),
                DeviceArray<T>(executor, plan_.size() > 1 ? std::size_t(plan_[1].blocks) : 0)} {}

  /// One launch per level; also one for no elements, whose result is the identity.
  static Plan plan(Index n, int threads, const PlanDevice&) {
    Plan launches;
    do {
      Launch& level = launches.emplace_back(
          launch_of_tiles<Kernel>(n, 2 * threads, {threads, Kernel::shared_memory(threads)}, {threads}));
      level.blocks = std::max<Index>(1, level.blocks);
      n = level.blocks;
    } while (n > 1);
    return launches;
  }

  void run(Span<const T> input, Span<T> output) {
    Span<const T> from{input.data, u64(n_)};
    for (std::size_t level = 0; level < plan_.size(); ++level) {
      const Span<T> to =
          level + 1 == plan_.size() ? output : Span<T>{levels_[level % 2].data(), u64(plan_[level].blocks)};
      plan_.launch(level, Kernel{from, to, threads_});
      from = {to.data, to.count};
    }
  }

  /// The longest chain of combinations that an element passes through.
  Index depth() const {
    Index depth = 0;
    for (Index i = 1; i < n_; i *= 2) ++depth;
    return depth;
  }
  std::vector<KernelResources> kernels() const { return plan_.resources(); }

 private:
  Index n_;
  int threads_;
  PreparedPlan plan_;
  std::array<DeviceArray<T>, 2> levels_;  // used alternately
};

}  // namespace fathom
