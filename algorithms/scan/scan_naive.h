// The naive scan on the device (nakano2012): a[i] = a[i − 2^s] ∘ a[i] for s = 0, 1, …, of which each step is
// one launch over all elements.
#pragma once

#include <fathom/algorithms/driver.h>
#include <fathom/algorithms/scan/add_distant.h>
#include <fathom/algorithms/scan/scan_kind.h>

namespace fathom {

/// The kernel and work space, n elements, of a scan with any associative operator that has an identity.
template <class T, class Operator, class Kind = Exclusive>
class ScanNaive {
 public:
  /// `threads` per block, of which each takes one element.
  ScanNaive(Executor& executor, Index n, int threads);

  /// Queues the scan of `input` into `output`. Throws std::invalid_argument for arrays that overlap, since a
  /// step reads what other blocks of it would overwrite, or are not of n elements.
  void run(Span<const T> input, Span<T> output);

  std::vector<KernelResources> kernels() const;
  static std::vector<std::pair<KernelSource, BlockShape>> sources(int threads);

 private:
  using Step = AddDistant<T, Operator>;

  Executor* executor_;
  Index n_;
  int threads_;
  std::shared_ptr<const PreparedKernel> step_;
  DeviceArray<T> other_;
};

std::unique_ptr<Driver> make_scan_naive(Executor& executor, const Problem& problem, Input input);
std::size_t scan_naive_bytes(const Problem& problem);
std::vector<std::pair<KernelSource, BlockShape>> scan_naive_kernels(const Problem& problem);

}  // namespace fathom
