// SPDX-License-Identifier: Apache-2.0
// The matrix scan on the device (agpu2015 §6): reduce chunks, scan their sums, scan each chunk through padded
// tiles.
#pragma once

#include <fathom/algorithms/launch.h>
#include <fathom/algorithms/scan/arrays.h>
#include <fathom/algorithms/scan/matrix/reduce_chunks.h>
#include <fathom/algorithms/scan/matrix/scan_chunks.h>
#include <fathom/algorithms/scan/spine_scan.h>
#include <fathom/device/prepared_plan.h>

#include <algorithm>

namespace fathom {

/// The kernels and work space of a scan of n elements with any associative operator that has an identity.
template <class T, class Operator, class Kind = Exclusive>
class ScanMatrix {
  using Reduce = ReduceChunks<T, Operator>;
  using Sums = SpineScan<T, Operator, Exclusive>;
  using Scan = ScanChunks<T, Operator, Kind>;

 public:
  /// `rows` is α, 1 to 32; `threads` a multiple of the warp's width.
  ScanMatrix(Executor& executor, Index n, int threads, int rows)
      : n_(n),
        threads_(threads),
        rows_(rows),
        chunk_(chunk(n, threads, rows, executor.plan_device())),
        plan_(executor, plan(n, threads, rows, executor.plan_device())),
        sums_(executor, std::size_t(plan_[0].blocks * (threads / warp_width))) {}

  static Plan plan(Index n, int threads, int rows, const PlanDevice& device) {
    const Index chunks = ceil_div(n, chunk(n, threads, rows, device));
    const Index blocks = std::max<Index>(1, ceil_div(chunks, threads / warp_width));
    Launch reduce = launch_of<Reduce>(n, blocks, {threads}, {threads}),
           scan = launch_of<Scan>(n, blocks, {threads, Scan::shared_memory(threads, rows)}, {threads, rows});
    for (Launch* launch : {&reduce, &scan}) {
      launch->grid = Grid::resident;
      launch->tile = double(threads) * rows;
    }
    return {reduce,
            launch_of<Sums>(chunks, 1, {Sums::most_threads, Sums::shared_memory()}, {Sums::most_threads}),
            scan};
  }

  /// Queues the scan of `input` into `output`; they may be the same array. Throws std::invalid_argument for
  /// arrays that overlap partially or do not have n elements.
  void run(Span<const T> input, Span<T> output) {
    check_arrays("scan-matrix", input, output, n_, sizeof(T), InPlace::allowed);
    if (n_ == 0) return;
    const Span<const T> sums{sums_.data(), sums_.size()};
    plan_.launch(0, Reduce{input, sums_.span(), n_, chunk_, threads_});
    plan_.launch(1, Sums{sums, sums_.span(), {}, {}, ceil_div(n_, chunk_), Sums::most_threads});
    plan_.launch(2, Scan{input, output, sums, n_, chunk_, threads_, rows_});
  }

  Index depth() const { return n_; }
  std::vector<KernelResources> kernels() const { return plan_.resources(); }

  /// Elements of a warp: one chunk per resident warp, each a whole number of tiles; fewer chunks if there are
  /// not enough tiles.
  static Index chunk(Index n, int threads, int rows, const PlanDevice& device) {
    const Launch scan = launch_of<Scan>(n, 1, {threads, Scan::shared_memory(threads, rows)}, {threads, rows});
    const Index tile_size = Index(rows) * warp_width, tiles = ceil_div(n, tile_size);
    const Index warps = std::clamp<Index>(tiles, 1, device.resident(scan) * (threads / warp_width));
    return std::max<Index>(1, ceil_div(tiles, warps)) * tile_size;
  }

 private:
  Index n_;
  int threads_, rows_;
  Index chunk_;
  PreparedPlan plan_;
  DeviceArray<T> sums_;
};

}  // namespace fathom
