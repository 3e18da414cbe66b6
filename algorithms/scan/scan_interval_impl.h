// Definitions of ScanInterval, for those who instantiate it with a type or operator of their own.
#pragma once

#include <fathom/algorithms/scan/scan_arrays.h>
#include <fathom/algorithms/scan/scan_interval.h>

namespace fathom {

template <class T, class Operator, class Kind>
std::vector<std::pair<KernelSource, BlockShape>> ScanInterval<T, Operator, Kind>::sources(int threads) {
  const BlockShape one_block{Scan::most_threads, Scan::shared_memory()};
  const auto spread = [&]<class AnyKind>() {
    return kernel_source<T, Operator, AnyKind>("scan/spread_sums.h", "SpreadSums", threads);
  };
  const auto scan = [&]<class AnyKind>() {
    return kernel_source<T, Operator, AnyKind>("scan/scan_sums.h", "ScanSums", one_block.threads);
  };
  return {{kernel_source<T, Operator>("scan/sum_pairs.h", "SumPairs", threads), {threads}},
          {scan.template operator()<Inclusive>(), one_block},
          {scan.template operator()<Kind>(), one_block},
          {spread.template operator()<Inclusive>(), {threads}},
          {spread.template operator()<Kind>(), {threads}}};
}

/// Of the input and of all levels of sums: halves, rounded down since a last element without a partner needs
/// no sum, until one block can scan them.
template <class T, class Operator, class Kind>
std::vector<Index> ScanInterval<T, Operator, Kind>::level_sizes(Index n) {
  std::vector<Index> sizes{n};
  while (sizes.back() > Scan::most_threads) sizes.push_back(sizes.back() / 2);
  return sizes;
}

/// Less than n: the halves are less than n − most_threads/2 together, and there are too few to fill the rest
/// by padding.
template <class T, class Operator, class Kind>
Index ScanInterval<T, Operator, Kind>::work_elements(Index n) {
  Index elements = 0;
  const std::vector<Index> sizes = level_sizes(n);
  for (std::size_t level = 1; level < sizes.size(); ++level) elements += padded(sizes[level]);
  return elements;
}

template <class T, class Operator, class Kind>
ScanInterval<T, Operator, Kind>::ScanInterval(Executor& executor, Index n, int threads)
    : ScanInterval(executor, n, threads, DeviceArray<T>(executor, std::size_t(work_elements(n)))) {}

template <class T, class Operator, class Kind>
ScanInterval<T, Operator, Kind>::ScanInterval(Executor& executor, Index n, int threads, DeviceArray<T> work)
    : ScanInterval(executor, n, threads, work.span()) {
  own_work_ = std::move(work);
}

template <class T, class Operator, class Kind>
ScanInterval<T, Operator, Kind>::ScanInterval(Executor& executor, Index n, int threads, Span<T> work)
    : executor_(&executor), n_(n), threads_(threads), own_work_(executor, 0) {
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
  const auto kernels = sources(threads);
  down_ = executor.prepare<Down>(kernels[0].first, kernels[0].second);
  scan_within_ = executor.prepare<ScanWithin>(kernels[1].first, kernels[1].second);
  scan_ = executor.prepare<Scan>(kernels[2].first, kernels[2].second);
  up_within_ = executor.prepare<UpWithin>(kernels[3].first, kernels[3].second);
  up_ = executor.prepare<Up>(kernels[4].first, kernels[4].second);
}

template <class T, class Operator, class Kind>
void ScanInterval<T, Operator, Kind>::run(Span<const T> input, Span<T> output, Span<const T> carry,
                                          Span<T> total) {
  check_arrays("scan-interval", input, output, n_, sizeof(T), InPlace::allowed);
  if (n_ == 0) return;
  const std::size_t last = levels_.size() - 1;
  if (last == 0) {
    executor_->launch(*scan_, 1, Scan{input, output, carry, total, n_, Scan::most_threads});
    return;
  }
  const auto as_input = [](Span<T> level) { return Span<const T>{level.data, level.count}; };
  const auto blocks = [&](Index elements) { return divide_up(divide_up(elements, 2), threads_); };

  for (std::size_t level = 0; level < last; ++level) {
    const Span<T> sums = levels_[level + 1];
    executor_->launch(*down_, divide_up(Index(sums.count), threads_),
                      Down{level == 0 ? input : as_input(levels_[level]), sums, Index(sums.count), threads_});
  }
  const Span<T> top = levels_[last];
  executor_->launch(*scan_within_, 1,
                    ScanWithin{as_input(top), top, carry, {}, Index(top.count), Scan::most_threads});
  for (std::size_t level = last - 1; level > 0; --level) {
    const Span<T> sums = levels_[level];
    executor_->launch(
        *up_within_, blocks(Index(sums.count)),
        UpWithin{as_input(sums), sums, as_input(levels_[level + 1]), carry, {}, Index(sums.count), threads_});
  }
  executor_->launch(*up_, blocks(n_), Up{input, output, as_input(levels_[1]), carry, total, n_, threads_});
}

template <class T, class Operator, class Kind>
std::vector<KernelResources> ScanInterval<T, Operator, Kind>::kernels() const {
  return {down_->resources, scan_within_->resources, scan_->resources, up_within_->resources, up_->resources};
}

}  // namespace fathom
