// SPDX-License-Identifier: Apache-2.0
// Reduction in one launch that reads 16 bytes per access. For commutative operators.
#pragma once

#include <fathom/algorithms/launch.h>
#include <fathom/algorithms/reduce/vector/reduce_vectors.h>
#include <fathom/device/prepared_plan.h>

namespace fathom {

/// The combination of n elements by an associative operator that has an identity. Owns its work space and can
/// run many times.
template <class T, class Operator>
class ReduceVector {
  using Kernel = ReduceVectors<T, Operator>;

 public:
  /// In the time that blocks take to tell each other that they are done, one of them reduces two tiles more.
  static constexpr int tiles_of_one_block = 3;

  /// `loads` (I) is the number of accesses that a thread has in flight.
  ReduceVector(Executor& executor, Index n, int threads, int loads)
      : n_(n),
        threads_(threads),
        loads_(loads),
        plan_(executor, plan(n, threads, loads, executor.plan_device())),
        results_(executor, std::size_t(plan_[0].blocks)),
        tickets_(executor, 1) {
    executor.fill(tickets_.data(), 0, tickets_.bytes());
  }

  static Plan plan(Index n, int threads, int loads, const PlanDevice& device) {
    const Launch one_block = launch_of<Kernel>(n, 1, {threads, Kernel::shared_memory()}, {threads, loads});
    const Index tile = Index(threads) * loads * Kernel::Input::width;
    Launch launch = with_resident_blocks(one_block, n, tile, device);
    if (n <= tiles_of_one_block * tile) launch.blocks = 1;
    return {launch};
  }

  void run(Span<const T> input, Span<T> output) {
    plan_.launch(0, Kernel{Kernel::Input::of({input.data, u64(n_)}), output, results_.span(), tickets_.span(),
                           threads_, loads_});
  }

  /// The longest chain of combinations that an element passes through.
  Index depth() const {
    const Index blocks = plan_[0].blocks;
    const Index of_a_thread = ceil_div(n_, blocks * threads_) + loads_ * Kernel::Input::width;
    if (blocks == 1) return of_a_thread + depth_of_block;
    return of_a_thread + ceil_div(blocks, threads_) + 2 * depth_of_block;
  }
  std::vector<KernelResources> kernels() const { return plan_.resources(); }

 private:
  Index n_;
  int threads_, loads_;
  PreparedPlan plan_;
  DeviceArray<T> results_;
  DeviceArray<u32> tickets_;
};

}  // namespace fathom
