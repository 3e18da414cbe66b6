// SPDX-License-Identifier: Apache-2.0
// The single-pass scan on the device by blocks that have several tiles under way.
#pragma once

#include <fathom/algorithms/launch.h>
#include <fathom/algorithms/scan/arrays.h>
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
  /// A tile has threads · elements elements. `threads` is a multiple of the warp's width, `elements` one of
  /// widest_vector<T>. `stages` are the tiles that a block has under way. Where the device has no room for
  /// them, both are smaller, the tiles at least Scan::least_stages.
  ScanStream(Executor& executor, Index n, int threads, int elements, int stages)
      : executor_(&executor),
        n_(n),
        plan_(executor, plan(n, threads, elements, stages, executor.plan_device())),
        tiles_(ceil_div(n, Index(plan_[0].tile))),
        states_(executor, std::size_t(tiles_ * TileStates<T>::words_of_a_value)),
        tickets_(executor, 1) {
    executor.fill(states_.data(), 0, states_.bytes());
    executor.fill(tickets_.data(), 0, tickets_.bytes());
  }

  static Plan plan(Index n, int threads, int elements, int stages, const PlanDevice& device) {
    if (elements % widest_vector<T> != 0)
      throw std::invalid_argument("scan-stream: " + std::to_string(elements) +
                                  " elements per thread are not a multiple of " +
                                  std::to_string(widest_vector<T>) + ", the elements of a 16-byte access");
    if (stages < Scan::least_stages)
      throw std::invalid_argument("scan-stream: a block has at least " + std::to_string(Scan::least_stages) +
                                  " tiles under way, not " + std::to_string(stages));
    const int all_threads = threads + warp_width * Scan::other_warps;
    const auto bytes = [&](int of_thread, int tiles) {
      return Scan::shared_memory(all_threads, of_thread, tiles);
    };
    stages =
        max(int(Scan::least_stages), that_fit(stages, device, [&](int of) { return bytes(elements, of); }));
    elements = that_fit(
        elements, device, [&](int of) { return bytes(of, stages); }, widest_vector<T>);
    Launch scan =
        launch_of<Scan>(n, 1, {all_threads, bytes(elements, stages)}, {all_threads, elements, stages});
    scan.in_turn = true;
    scan.fetches_ahead = true;
    return {with_resident_blocks(scan, n, Index(threads) * elements, device)};
  }

  /// Queues the scan of `input` into `output`; they may be the same array. Throws std::invalid_argument for
  /// arrays that overlap partially or do not have n elements.
  void run(Span<const T> input, Span<T> output) {
    check_arrays("scan-stream", input, output, n_, sizeof(T), InPlace::allowed);
    if (n_ == 0) return;
    plan_.launch(0, Scan{input,
                         output,
                         {states_.span(), int(tiles_), next_run()},
                         tickets_.span(),
                         n_,
                         plan_[0].constants[0],
                         plan_[0].constants[1],
                         plan_[0].constants[2]});
  }

  /// An element passes through the additions of its thread, five across the warp, five across the block, and
  /// then one per tile.
  Index depth() const { return plan_[0].constants[1] + 10 + tiles_; }
  std::vector<KernelResources> kernels() const { return plan_.resources(); }

 private:
  /// See ScanLookback.
  u32 next_run() {
    if (run_ == TileStates<T>::last_run) {
      executor_->fill(states_.data(), 0, states_.bytes());
      run_ = 0;
    }
    return ++run_;
  }

  Executor* executor_;
  Index n_;
  PreparedPlan plan_;
  Index tiles_;
  DeviceArray<StateWord> states_;
  DeviceArray<u32> tickets_;
  u32 run_ = 0;
};

}  // namespace fathom
