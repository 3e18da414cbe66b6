// Definitions of ScanLookback, for those who instantiate it with a type or operator of their own.
#pragma once

#include <fathom/algorithms/scan/scan_arrays.h>
#include <fathom/algorithms/scan/scan_lookback.h>

namespace fathom {

template <class T, class Operator, class Kind>
std::vector<std::pair<KernelSource, BlockShape>> ScanLookback<T, Operator, Kind>::sources(int threads,
                                                                                          int elements) {
  return {{kernel_source<T, Operator, Kind>("scan/scan_tiles.h", "ScanTiles", threads, elements),
           {threads, Scan::shared_memory(threads, elements)}}};
}

template <class T, class Operator, class Kind>
ScanLookback<T, Operator, Kind>::ScanLookback(Executor& executor, Index n, int threads, int elements)
    : executor_(&executor), n_(n), threads_(threads), elements_(elements), states_(executor, 0) {
  if (elements % widest_vector<T> != 0)
    throw std::invalid_argument("scan-lookback: " + std::to_string(elements) +
                                " elements per thread are not a multiple of " +
                                std::to_string(widest_vector<T>) + ", the elements of a 16-byte access");
  const auto kernels = sources(threads, elements);
  scan_ = executor.prepare<Scan>(kernels[0].first, kernels[0].second);
  const Index tiles = divide_up(n, Index(threads) * elements);
  states_ = DeviceArray<StateWord>(executor, std::size_t(tiles * TileStates<T>::words_of_a_value));
  executor.fill(states_.data(), 0, states_.bytes());
}

template <class T, class Operator, class Kind>
void ScanLookback<T, Operator, Kind>::run(Span<const T> input, Span<T> output) {
  check_arrays("scan-lookback", input, output, n_, sizeof(T), InPlace::allowed);
  if (n_ == 0) return;
  const Index tiles = divide_up(n_, Index(threads_) * elements_);
  // Tiles that all begin at once have nobody to wait for long.
  const Index resident = Index(executor_->multiprocessors()) * scan_->resources.resident_blocks;
  const int patience = tiles > resident ? 2500 : 0;
  executor_->launch(
      *scan_, tiles,
      Scan{input, output, {states_.span(), int(tiles), next_run()}, patience, n_, threads_, elements_});
}

/// The states carry the run's number, so that a run sees none of an earlier one's and no launch has to clear
/// them, until the numbers are used up.
template <class T, class Operator, class Kind>
u32 ScanLookback<T, Operator, Kind>::next_run() {
  if (run_ == TileStates<T>::last_run) {
    executor_->fill(states_.data(), 0, states_.bytes());
    run_ = 0;
  }
  return ++run_;
}

template <class T, class Operator, class Kind>
std::vector<KernelResources> ScanLookback<T, Operator, Kind>::kernels() const {
  return {scan_->resources};
}

}  // namespace fathom
