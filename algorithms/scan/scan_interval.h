// The optimal scan by interval sums on the device (nakano2012).
#pragma once

#include <fathom/algorithms/driver.h>
#include <fathom/algorithms/scan/scan_sums.h>
#include <fathom/algorithms/scan/spread_sums.h>
#include <fathom/algorithms/scan/sum_pairs.h>

namespace fathom {

/// The kernels of a scan of n elements with any associative operator that has an identity, and its work space
/// of less than n elements. Level by level the sums of pairs, until one block can scan what is left; and
/// back.
template <class T, class Operator, class Kind = Exclusive>
class ScanInterval {
 public:
  /// `threads` per block, of which each takes a pair.
  ScanInterval(Executor& executor, Index n, int threads);
  /// In work space that is given. Throws std::invalid_argument, saying how much is needed, when it is too
  /// small, or does not begin at a multiple of 16 bytes.
  ScanInterval(Executor& executor, Index n, int threads, Span<T> work);
  static Index work_elements(Index n);

  /// Queues the scan of `input` into `output`; they may be the same array. Throws std::invalid_argument for
  /// arrays that overlap otherwise, or are not of n elements.
  void run(Span<const T> input, Span<T> output) { run(input, output, {}, {}); }
  /// The same behind `carry`, a span of one element, or of none; the combination of carry and all elements
  /// goes to `total`, another such span.
  void run(Span<const T> input, Span<T> output, Span<const T> carry, Span<T> total);

  std::vector<KernelResources> kernels() const;
  static std::vector<std::pair<KernelSource, BlockShape>> sources(int threads);

 private:
  using Down = SumPairs<T, Operator>;
  using ScanWithin = ScanSums<T, Operator, Inclusive>;  // of a level of sums
  using Scan = ScanSums<T, Operator, Kind>;             // of the input itself
  using UpWithin = SpreadSums<T, Operator, Inclusive>;
  using Up = SpreadSums<T, Operator, Kind>;

  ScanInterval(Executor& executor, Index n, int threads, DeviceArray<T> work);
  static std::vector<Index> level_sizes(Index n);
  /// So that every level begins at a multiple of 16 bytes.
  static Index padded(Index size) { return divide_up(size, widest_vector<T>) * widest_vector<T>; }

  Executor* executor_;
  Index n_;
  int threads_;
  std::shared_ptr<const PreparedKernel> down_, scan_within_, scan_, up_within_, up_;
  DeviceArray<T> own_work_;
  std::vector<Span<T>> levels_;  ///< [l] holds the sums of the pairs of [l − 1]; [0] stands for the input
};

/// Additions that an element goes through one after another: in each level one down and two up, and twelve
/// across the one block.
inline constexpr Index scan_interval_depth = 3 * 63 + 12;

std::unique_ptr<Driver> make_scan_interval(Executor& executor, const Problem& problem, Input input);
std::size_t scan_interval_bytes(const Problem& problem);
std::vector<std::pair<KernelSource, BlockShape>> scan_interval_kernels(const Problem& problem);

}  // namespace fathom
