// SPDX-License-Identifier: Apache-2.0
// The sum by halving (nakano2012): a[i] = a[i] ∘ a[i + ⌈m/2⌉] for m = n, ⌈n/2⌉, … until one element is left;
// each step is one launch. For commutative operators.
#pragma once

#include <fathom/algorithms/launch.h>
#include <fathom/algorithms/reduce/halving/halving_step.h>
#include <fathom/device/prepared_plan.h>

namespace fathom {

/// The combination of n elements by an associative and commutative operator that has an identity. Owns its
/// work space, ⌈n/2⌉ elements, and can run many times.
///
/// A step combines two contiguous halves, so that warps always access consecutive elements, and an element
/// meets one that does not follow it. In place of the source's array, the first step writes to the work
/// space, because the input is not to be overwritten.
template <class T, class Operator>
class ReduceHalving {
  using Step = HalvingStep<T, Operator>;

 public:
  /// `threads` per block; one thread per pair.
  ReduceHalving(Executor& executor, Index n, int threads)
      : n_(n),
        threads_(threads),
        plan_(executor, plan(n, threads, executor.plan_device())),
        work_(executor, plan_.size() > 1 ? std::size_t(half(n)) : 0) {}

  /// One launch per step; also one for a single element, which must reach the output, and for none, whose
  /// result is the identity.
  static Plan plan(Index n, int threads, const PlanDevice&) {
    Plan launches;
    do {
      Launch& step =
          launches.emplace_back(launch_of_tiles<Step>(n, 2 * Index(threads), {threads}, {threads}));
      step.blocks = max(Index(1), step.blocks);
      step.in_place = launches.size() > 1;
      n = half(n);
    } while (n > 1);
    return launches;
  }

  void run(Span<const T> input, Span<T> output) {
    Span<const T> from{input.data, u64(n_)};
    for (std::size_t step = 0; step < plan_.size(); ++step) {
      const Index m = Index(from.count), left = half(m);
      const bool last = step + 1 == plan_.size();
      // In place, the middle one of an odd number of elements stays where it is.
      const Span<T> to = last ? output : Span<T>{work_.data(), u64(step == 0 ? left : m / 2)};
      plan_.launch(step, Step{from, to, left, threads_});
      from = {to.data, u64(left)};
    }
  }

  /// The longest chain of combinations that an element passes through.
  Index depth() const { return Index(plan_.size()); }
  std::vector<KernelResources> kernels() const { return plan_.resources(); }

 private:
  static Index half(Index m) { return ceil_div(m, Index(2)); }

  Index n_;
  int threads_;
  PreparedPlan plan_;
  DeviceArray<T> work_;
};

}  // namespace fathom
