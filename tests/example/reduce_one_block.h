// SPDX-License-Identifier: Apache-2.0
// Reduction by one block: the solver. For inputs so small that a second launch costs more than it saves.
#pragma once

#include <fathom/algorithms/launch.h>
#include <fathom/device/prepared_plan.h>

#include "one_block.h"

namespace fathom {

/// This folder's headers and those of the library. A kernel inside algorithms/ needs only launch_of().
std::span<const HeaderText> example_and_kernel_headers();

template <class T, class Operator>
class ReduceOneBlock {
  using Kernel = ReduceInOneBlock<T, Operator>;

 public:
  ReduceOneBlock(Executor& executor, Index n, int threads)
      : n_(n), threads_(threads), plan_(executor, plan(n, threads, executor.plan_device())) {}

  static Plan plan(Index, int threads, const PlanDevice&) {
    return {
        make_launch<Kernel, example_and_kernel_headers>(1, {threads, Kernel::shared_memory()}, {threads})};
  }

  void run(Span<const T> input, Span<T> output) {
    plan_.launch(0, Kernel{{input.data, u64(n_)}, output, threads_});
  }

  /// The longest chain of combinations that an element passes through.
  Index depth() const { return ceil_div(n_, threads_) + depth_of_block; }
  std::vector<KernelResources> kernels() const { return plan_.resources(); }

 private:
  Index n_;
  int threads_;
  PreparedPlan plan_;
};

}  // namespace fathom
