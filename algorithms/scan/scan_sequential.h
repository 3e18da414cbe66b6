// The sequential-parallel scan on the device (nakano2012): groups one after another, each by interval sums.
#pragma once

#include <fathom/algorithms/scan/scan_interval.h>

namespace fathom {

/// The kernels of a scan of n elements with any associative operator that has an identity, and its work space
/// of less than `group` elements, whatever n. A group that stays in the L2 cache is read from memory and
/// written to it once.
template <class T, class Operator, class Kind = Exclusive>
class ScanSequential {
 public:
  /// `threads` per block, of which each takes a pair. `group` is k, a multiple of widest_vector<T>.
  ScanSequential(Executor& executor, Index n, Index group, int threads);

  /// Queues the scan of `input` into `output`; they may be the same array. Throws std::invalid_argument for
  /// arrays that overlap otherwise, or are not of n elements.
  void run(Span<const T> input, Span<T> output);

  std::vector<KernelResources> kernels() const { return whole_.kernels(); }
  static std::vector<std::pair<KernelSource, BlockShape>> sources(int threads) {
    return ScanInterval<T, Operator, Kind>::sources(threads);
  }

 private:
  Index n_, group_;
  DeviceArray<T> work_;
  DeviceArray<T> carries_;  ///< two: what stands before a group, and before the next one
  ScanInterval<T, Operator, Kind> whole_, rest_;
};

std::unique_ptr<Driver> make_scan_sequential(Executor& executor, const Problem& problem, Input input);
std::size_t scan_sequential_bytes(const Problem& problem);
std::vector<std::pair<KernelSource, BlockShape>> scan_sequential_kernels(const Problem& problem);

}  // namespace fathom
