// SPDX-License-Identifier: Apache-2.0
// The optimal scan by interval sums on the device (nakano2012).
#pragma once

#include <fathom/algorithms/launch.h>
#include <fathom/algorithms/scan/arrays.h>
#include <fathom/algorithms/scan/interval/downsweep.h>
#include <fathom/algorithms/scan/interval/upsweep.h>
#include <fathom/algorithms/scan/spine_scan.h>
#include <fathom/device/prepared_plan.h>

namespace fathom {

/// The kernels of a scan of n elements with any associative operator that has an identity, and its work space
/// of less than n elements. Sums pairs level by level until one block can scan the rest, then goes back down.
template <class T, class Operator, class Kind = Exclusive>
class ScanInterval {
  using Up = Upsweep<T, Operator>;
  using SpineWithin = SpineScan<T, Operator, Inclusive>;  // of a level of sums
  using Spine = SpineScan<T, Operator, Kind>;             // of the input itself
  using DownWithin = Downsweep<T, Operator, Inclusive>;
  using Down = Downsweep<T, Operator, Kind>;

 public:
  /// `threads` per block; one thread per pair.
  ScanInterval(Executor& executor, Index n, int threads)
      : ScanInterval(executor, n, threads, DeviceArray<T>(executor, std::size_t(work_elements(n)))) {}
  /// In the caller's work space. Throws std::invalid_argument if it is too small, saying how much is needed,
  /// or does not begin at a multiple of 16 bytes.
  ScanInterval(Executor& executor, Index n, int threads, Span<T> work)
      : n_(n),
        threads_(threads),
        plan_(executor, plan(n, threads, executor.plan_device())),
        own_work_(executor, 0) {
    const Index needed = work_elements(n);
    if (Index(work.count) < needed)
      throw std::invalid_argument("scan-interval: a work space of " + std::to_string(work.count) +
                                  " elements is too small: " + std::to_string(needed) + " are needed for " +
                                  std::to_string(n));
    check_aligned("scan-interval", work);
    Index used = 0;
    for (Index size : level_sizes(n)) {
      levels_.push_back(levels_.empty() ? Span<T>{nullptr, u64(size)} : Span<T>{work.data + used, u64(size)});
      if (levels_.size() > 1) used += padded(size);
    }
  }

  /// Less than n: the halves add up to less than n − most_threads/2, and their padding is smaller than the
  /// rest.
  static Index work_elements(Index n) {
    Index elements = 0;
    const std::vector<Index> sizes = level_sizes(n);
    for (std::size_t level = 1; level < sizes.size(); ++level) elements += padded(sizes[level]);
    return elements;
  }

  /// The upsweeps, the scan of the last level and the downsweeps, all `repeats` times.
  static Plan plan(Index n, int threads, const PlanDevice&, double repeats = 1) {
    const std::vector<Index> sizes = level_sizes(n);
    const BlockShape spine{Spine::most_threads, Spine::shared_memory()};
    if (sizes.size() == 1) return {launch_of<Spine>(n, 1, spine, {spine.threads}, repeats)};
    Plan launches;
    launches.reserve(2 * sizes.size() - 1);
    for (std::size_t level = 1; level < sizes.size(); ++level)
      launches.push_back(
          launch_of_tiles<Up>(sizes[level - 1], 2 * Index(threads), {threads}, {threads}, repeats));
    launches.push_back(launch_of<SpineWithin>(sizes.back(), 1, spine, {spine.threads}, repeats));
    for (std::size_t level = sizes.size() - 1; level > 0; --level) {
      const Index elements = sizes[level - 1], tile = 2 * Index(threads);
      launches.push_back(level > 1
                             ? launch_of_tiles<DownWithin>(elements, tile, {threads}, {threads}, repeats)
                             : launch_of_tiles<Down>(elements, tile, {threads}, {threads}, repeats));
    }
    return launches;
  }

  /// Queues the scan of `input` into `output`; they may be the same array. Throws std::invalid_argument for
  /// arrays that overlap partially or do not have n elements.
  void run(Span<const T> input, Span<T> output) { run(input, output, {}, {}); }
  /// The same, starting from `carry`, a span of at most one element; the combination of carry and all
  /// elements is stored to `total`, another such span.
  void run(Span<const T> input, Span<T> output, Span<const T> carry, Span<T> total) {
    check_arrays("scan-interval", input, output, n_, sizeof(T), InPlace::allowed);
    if (n_ == 0) return;
    const std::size_t last = levels_.size() - 1;
    if (last == 0) return plan_.launch(0, Spine{input, output, carry, total, n_, Spine::most_threads});
    const auto as_input = [](Span<T> level) { return Span<const T>{level.data, level.count}; };
    std::size_t launch = 0;
    for (std::size_t level = 0; level < last; ++level) {
      const Span<T> sums = levels_[level + 1];
      plan_.launch(launch++,
                   Up{level == 0 ? input : as_input(levels_[level]), sums, Index(sums.count), threads_});
    }
    const Span<T> top = levels_[last];
    plan_.launch(launch++, SpineWithin{as_input(top), top, carry, {}, Index(top.count), Spine::most_threads});
    for (std::size_t level = last - 1; level > 0; --level) {
      const Span<T> sums = levels_[level];
      plan_.launch(
          launch++,
          DownWithin{
              as_input(sums), sums, as_input(levels_[level + 1]), carry, {}, Index(sums.count), threads_});
    }
    plan_.launch(launch, Down{input, output, as_input(levels_[1]), carry, total, n_, threads_});
  }

  /// The longest chain of additions that an element passes through: one up and two down per level, and twelve
  /// across the one block.
  static Index depth() { return 3 * 63 + 12; }
  std::vector<KernelResources> kernels() const { return plan_.resources(); }

 private:
  ScanInterval(Executor& executor, Index n, int threads, DeviceArray<T> work)
      : ScanInterval(executor, n, threads, work.span()) {
    own_work_ = std::move(work);
  }

  /// The sizes of the input and of all levels of sums, halved until one block can scan them. Rounded down,
  /// since a last element without a partner needs no sum.
  static std::vector<Index> level_sizes(Index n) {
    std::vector<Index> sizes{n};
    while (sizes.back() > Spine::most_threads) sizes.push_back(sizes.back() / 2);
    return sizes;
  }
  /// Makes every level begin at a multiple of 16 bytes.
  static Index padded(Index size) { return ceil_div(size, widest_vector<T>) * widest_vector<T>; }

  Index n_;
  int threads_;
  PreparedPlan plan_;
  DeviceArray<T> own_work_;
  std::vector<Span<T>> levels_;  ///< [l] holds the sums of the pairs of [l − 1]; [0] stands for the input
};

}  // namespace fathom
