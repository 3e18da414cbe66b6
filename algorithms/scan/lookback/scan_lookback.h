// SPDX-License-Identifier: Apache-2.0
// The single-pass scan on the device: decoupled look-back (merrill2016).
#pragma once

#include <fathom/algorithms/launch.h>
#include <fathom/algorithms/scan/arrays.h>
#include <fathom/algorithms/scan/lookback/scan_tiles.h>
#include <fathom/algorithms/scan/lookback/states_of_runs.h>
#include <fathom/device/prepared_plan.h>

namespace fathom {

/// The kernel and work space of a scan of n elements with any associative operator that has an identity. One
/// launch; every element is read once and written once.
template <class T, class Operator, class Kind = Exclusive>
class ScanLookback {
  using Scan = ScanTiles<T, Operator, Kind>;

 public:
  /// `threads` is a multiple of the warp's width, `elements` (per thread) a multiple of widest_vector<T>.
  ScanLookback(Executor& executor, Index n, int threads, int elements)
      : n_(n),
        threads_(threads),
        elements_(elements),
        plan_(executor, plan(n, threads, elements, executor.plan_device())),
        states_(executor, plan_[0].blocks) {}

  static Plan plan(Index n, int threads, int elements, const PlanDevice& device) {
    if (elements % widest_vector<T> != 0)
      throw std::invalid_argument("scan-lookback: " + std::to_string(elements) +
                                  " elements per thread are not a multiple of " +
                                  std::to_string(widest_vector<T>) + ", the elements of a 16-byte access");
    Launch scan = launch_of_tiles<Scan>(
        n, Index(threads) * elements, {threads, Scan::shared_memory(threads, elements)}, {threads, elements});
    // Tiles that all begin at once do not wait long for each other. How long the GPU makes of this is
    // measured for this length (microbench/cores/sleep.cpp).
    if (scan.blocks > device.resident(scan)) scan.sleep_ns = 2500;
    return {scan};
  }

  /// Queues the scan of `input` into `output`; they may be the same array. Throws std::invalid_argument for
  /// arrays that overlap partially or do not have n elements.
  void run(Span<const T> input, Span<T> output) {
    check_arrays("scan-lookback", input, output, n_, sizeof(T), InPlace::allowed);
    if (n_ == 0) return;
    plan_.launch(0, Scan{input, output, states_.next(), plan_[0].sleep_ns, n_, threads_, elements_});
  }

  /// An element passes through the additions of its thread, five across the warp, five across the block, and
  /// then one per tile.
  Index depth() const { return elements_ + 10 + plan_[0].blocks; }
  std::vector<KernelResources> kernels() const { return plan_.resources(); }

 private:
  Index n_;
  int threads_, elements_;
  PreparedPlan plan_;
  StatesOfRuns<T> states_;
};

}  // namespace fathom
