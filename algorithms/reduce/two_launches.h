// SPDX-License-Identifier: Apache-2.0
// Reductions in two launches of one kernel: every block reduces its part, then one block reduces their
// results.
#pragma once

#include <fathom/algorithms/launch.h>
#include <fathom/device/prepared_plan.h>

#include <tuple>

namespace fathom {

/// The combination of n elements by an associative operator that has an identity, which is the result for no
/// elements. Owns its work space and can run many times.
///
/// `Kernel` defines with over() what a launch does, with part() how many elements justify another block, and
/// with depth() how many combinations an element passes through. `More` are the parameters, other than the
/// threads, that it is specialised for.
template <class Kernel, class... More>
class ReduceInTwoLaunches {
 public:
  using T = typename Kernel::Element;

  ReduceInTwoLaunches(Executor& executor, Index n, int threads, More... more)
      : n_(n),
        threads_(threads),
        more_(more...),
        plan_(executor, plan(n, threads, more..., executor.plan_device())),
        results_(executor, plan_.size() > 1 ? std::size_t(plan_[0].blocks) : 0) {}

  static Plan plan(Index n, int threads, More... more, const PlanDevice& device) {
    const Launch first = with_resident_blocks(
        launch_of<Kernel>(n, 1, {threads, Kernel::shared_memory(threads)}, {threads, more...}), n,
        Kernel::part(threads, more...), device);
    if (first.blocks == 1) return {first};
    Launch second = first;
    second.blocks = 1;
    second.elements = double(first.blocks);
    return {first, second};
  }

  void run(Span<const T> input, Span<T> output) {
    const Span<const T> elements{input.data, u64(n_)};
    if (plan_.size() == 1) return launch(0, elements, output);
    launch(0, elements, results_.span());
    launch(1, {results_.data(), results_.size()}, output);
  }

  /// The longest chain of combinations that an element passes through.
  Index depth() const {
    const Index first = kernel(0, {nullptr, u64(n_)}, {}).depth(plan_[0].blocks);
    return plan_.size() == 1 ? first : first + kernel(1, {nullptr, u64(plan_[0].blocks)}, {}).depth(1);
  }
  std::vector<KernelResources> kernels() const { return plan_.resources(); }

 private:
  Kernel kernel(std::size_t i, Span<const T> from, Span<T> to) const {
    return std::apply(
        [&](More... more) { return Kernel::over(from, to, plan_[i].blocks, threads_, more...); }, more_);
  }
  void launch(std::size_t i, Span<const T> from, Span<T> to) { plan_.launch(i, kernel(i, from, to)); }

  Index n_;
  int threads_;
  std::tuple<More...> more_;
  PreparedPlan plan_;
  DeviceArray<T> results_;
};

}  // namespace fathom
