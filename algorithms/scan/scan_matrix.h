// The matrix scan on the device (agpu2015 §6): reduce chunks, scan their sums, scan each chunk through padded
// tiles.
#pragma once

#include <fathom/algorithms/driver.h>
#include <fathom/algorithms/scan/reduce_chunks.h>
#include <fathom/algorithms/scan/scan_chunks.h>
#include <fathom/algorithms/scan/scan_sums.h>

namespace fathom {

/// The kernels and work space of a scan of n elements with any associative operator that has an identity.
template <class T, class Operator, class Kind = Exclusive>
class ScanMatrix {
 public:
  /// `rows` is α, 1 to 32; `threads` a multiple of the warp's width.
  ScanMatrix(Executor& executor, Index n, int threads, int rows);

  /// Queues the scan of `input` into `output`; they may be the same array. Throws std::invalid_argument for
  /// arrays that overlap otherwise, or are not of n elements.
  void run(Span<const T> input, Span<T> output);

  std::vector<KernelResources> kernels() const;
  static std::vector<std::pair<KernelSource, BlockShape>> sources(int threads, int rows);

 private:
  using Reduce = ReduceChunks<T, Operator>;
  using Sums = ScanSums<T, Operator, Exclusive>;
  using Scan = ScanChunks<T, Operator, Kind>;

  Executor* executor_;
  Index n_;
  int threads_, rows_;
  std::shared_ptr<const PreparedKernel> reduce_, scan_sums_, scan_;
  Index blocks_, chunk_;
  DeviceArray<T> sums_;
};

std::unique_ptr<Driver> make_scan_matrix(Executor& executor, const Problem& problem, Input input);
std::size_t scan_matrix_bytes(const Problem& problem);
std::vector<std::pair<KernelSource, BlockShape>> scan_matrix_kernels(const Problem& problem);

}  // namespace fathom
