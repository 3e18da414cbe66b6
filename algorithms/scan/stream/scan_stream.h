// SPDX-License-Identifier: Apache-2.0
// The single-pass scan on the device by blocks that have several tiles under way.
#pragma once

#include <fathom/algorithms/launch.h>
#include <fathom/algorithms/scan/arrays.h>
#include <fathom/algorithms/scan/lookback/states_of_runs.h>
#include <fathom/algorithms/scan/stream/scan_tiles_in_turn.h>
#include <fathom/device/prepared_plan.h>

namespace fathom {

/// The kernel and work space of a scan of n elements with any associative operator that has an identity. One
/// launch; every element is read once and written once. For large n: for less than a few tiles per
/// multiprocessor ScanLookback is faster.
template <class T, class Operator, class Kind = Exclusive>
class ScanStream {
  using Scan = ScanTilesInTurn<T, Operator, Kind>;

 public:
  static constexpr int most_stages = 32;  ///< of a copy pipeline

  /// A tile has threads · elements elements. `threads` is a multiple of the warp's width. `elements` is
  /// rounded down to a multiple of widest_vector<T>. `stages`, from 4 to 32, are the tiles that a block has
  /// under way. Where the device has no room for them, there are fewer stages, but at least 4, and then
  /// fewer elements. Throws std::invalid_argument for less than a vector of elements, and for other numbers
  /// of stages.
  ScanStream(Executor& executor, Index n, int threads, int elements, int stages)
      : n_(n),
        plan_(executor, plan(n, threads, elements, stages, executor.plan_device())),
        states_(executor, tiles()),
        tickets_(executor, 1) {
    executor.fill(tickets_.data(), 0, tickets_.bytes());
  }

  static Plan plan(Index n, int threads, int elements, int stages, const PlanDevice& device) {
    constexpr int vector = widest_vector<T>;
    if (elements < vector)
      throw std::invalid_argument("scan-stream: a thread has at least " + std::to_string(vector) +
                                  " elements, those of a 16-byte access, not " + std::to_string(elements));
    if (stages < Scan::least_stages || stages > most_stages)
      throw std::invalid_argument("scan-stream: a block has " + std::to_string(Scan::least_stages) + " to " +
                                  std::to_string(most_stages) + " tiles under way, not " +
                                  std::to_string(stages));
    const int all_threads = threads + warp_width * Scan::other_warps;
    const auto bytes = [&](int of_thread, int tiles) {
      return Scan::shared_memory(all_threads, of_thread, tiles);
    };
    elements -= elements % vector;
    stages =
        max(int(Scan::least_stages), that_fit(stages, device, [&](int of) { return bytes(elements, of); }));
    elements = that_fit(
        elements, device, [&](int of) { return bytes(of, stages); }, vector);
    Launch scan =
        launch_of<Scan>(n, 1, {all_threads, bytes(elements, stages)}, {all_threads, elements, stages});
    scan.in_turn = true;
    scan = with_resident_blocks(scan, n, Index(threads) * elements, device);
    // A block waits for its first tile of all that it has.
    if (n > 0) scan.exposed_traffic = min(1.0, double(scan.blocks) * scan.tile / double(n));
    return {scan};
  }

  /// Queues the scan of `input` into `output`; they may be the same array. Throws std::invalid_argument for
  /// arrays that overlap partially or do not have n elements.
  void run(Span<const T> input, Span<T> output) {
    check_arrays("scan-stream", input, output, n_, sizeof(T), InPlace::allowed);
    if (n_ == 0) return;
    const auto& [all_threads, elements, stages] = plan_[0].constants;
    plan_.launch(0, Scan{input, output, states_.next(), tickets_.span(), n_, all_threads, elements, stages});
  }

  /// An element passes through the additions of its thread, of its vector, five across the warp and one for
  /// the warp's rows, five across the block, and then one per tile.
  Index depth() const { return plan_[0].constants[1] + widest_vector<T> + 11 + tiles(); }
  std::vector<KernelResources> kernels() const { return plan_.resources(); }

 private:
  Index tiles() const { return ceil_div(n_, Index(plan_[0].tile)); }

  Index n_;
  PreparedPlan plan_;
  StatesOfRuns<T> states_;
  DeviceArray<u32> tickets_;
};

}  // namespace fathom
