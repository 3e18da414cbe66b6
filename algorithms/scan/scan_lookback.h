// The single-pass scan on the device: decoupled look-back (merrill2016).
#pragma once

#include <fathom/algorithms/driver.h>
#include <fathom/algorithms/scan/scan_tiles.h>

namespace fathom {

/// The kernel and work space of a scan of n elements with any associative operator that has an identity. One
/// launch, every element read once and written once.
template <class T, class Operator, class Kind = Exclusive>
class ScanLookback {
 public:
  /// `threads` is a multiple of the warp's width, `elements` (per thread) one of widest_vector<T>.
  ScanLookback(Executor& executor, Index n, int threads, int elements);

  /// Queues the scan of `input` into `output`; they may be the same array. Throws std::invalid_argument for
  /// arrays that overlap otherwise, or are not of n elements.
  void run(Span<const T> input, Span<T> output);

  std::vector<KernelResources> kernels() const;
  static std::vector<std::pair<KernelSource, BlockShape>> sources(int threads, int elements);

 private:
  using Scan = ScanTiles<T, Operator, Kind>;

  u32 next_run();

  Executor* executor_;
  Index n_;
  int threads_, elements_;
  std::shared_ptr<const PreparedKernel> scan_;
  DeviceArray<StateWord> states_;
  u32 run_ = 0;
};

std::unique_ptr<Driver> make_scan_lookback(Executor& executor, const Problem& problem, Input input);
std::size_t scan_lookback_bytes(const Problem& problem);
std::vector<std::pair<KernelSource, BlockShape>> scan_lookback_kernels(const Problem& problem);

}  // namespace fathom
