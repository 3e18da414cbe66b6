// SPDX-License-Identifier: Apache-2.0
// The naive scan on the device (nakano2012): a[i] = a[i − 2^s] ∘ a[i] for s = 0, 1, …; each step is one
// launch over all elements.
#pragma once

#include <fathom/algorithms/launch.h>
#include <fathom/algorithms/scan/arrays.h>
#include <fathom/algorithms/scan/naive/hillis_steele_step.h>
#include <fathom/algorithms/scan/scan_kind.h>
#include <fathom/device/prepared_plan.h>

namespace fathom {

/// The kernel and work space, n elements, of a scan with any associative operator that has an identity.
template <class T, class Operator, class Kind = Exclusive>
class ScanNaive {
  using Step = HillisSteeleStep<T, Operator>;

 public:
  /// `threads` per block; one thread per element.
  ScanNaive(Executor& executor, Index n, int threads)
      : n_(n),
        threads_(threads),
        plan_(executor, plan(n, threads, executor.plan_device())),
        other_(executor, std::size_t(n)) {}

  static Plan plan(Index n, int threads, const PlanDevice&) {
    double steps = 1;  // a single element needs one, too: it must reach the output
    while (Index(1) << int(steps) < n) ++steps;
    return {launch_of_tiles<Step>(n, threads, {threads}, {threads}, steps)};
  }

  /// Queues the scan of `input` into `output`. Throws std::invalid_argument for arrays that do not have n
  /// elements or that overlap, since a step reads what other blocks would overwrite.
  void run(Span<const T> input, Span<T> output) {
    check_arrays("scan-naive", input, output, n_, sizeof(T), InPlace::refused);
    if (n_ == 0) return;
    // Each step reads what the previous one wrote; the last one writes the output.
    const int steps = int(plan_[0].repeats);
    Span<const T> from = input;
    Index shift = Kind::with_own_element ? 0 : 1;
    for (int step = 0; step < steps; ++step) {
      const Span<T> to = (steps - step) % 2 == 1 ? output : other_.span();
      plan_.launch(0, Step{from, to, n_, Index(1) << step, shift, threads_});
      from = {to.data, to.count};
      shift = 0;
    }
  }

  /// The longest chain of additions that an element passes through: one per step, at most the bits of an
  /// Index.
  Index depth() const { return 63; }
  std::vector<KernelResources> kernels() const { return plan_.resources(); }

 private:
  Index n_;
  int threads_;
  PreparedPlan plan_;
  DeviceArray<T> other_;
};

}  // namespace fathom
