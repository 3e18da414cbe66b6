// Definitions of ScanNaive, for those who instantiate it with a type or operator of their own.
#pragma once

#include <fathom/algorithms/scan/scan_arrays.h>
#include <fathom/algorithms/scan/scan_naive.h>

namespace fathom {

template <class T, class Operator, class Kind>
std::vector<std::pair<KernelSource, BlockShape>> ScanNaive<T, Operator, Kind>::sources(int threads) {
  return {{kernel_source<T, Operator>("scan/add_distant.h", "AddDistant", threads), {threads}}};
}

template <class T, class Operator, class Kind>
ScanNaive<T, Operator, Kind>::ScanNaive(Executor& executor, Index n, int threads)
    : executor_(&executor), n_(n), threads_(threads), other_(executor, std::size_t(n)) {
  const auto kernels = sources(threads);
  step_ = executor.prepare<Step>(kernels[0].first, kernels[0].second);
}

template <class T, class Operator, class Kind>
void ScanNaive<T, Operator, Kind>::run(Span<const T> input, Span<T> output) {
  check_arrays("scan-naive", input, output, n_, sizeof(T), InPlace::refused);
  if (n_ == 0) return;
  int steps = 1;  // one element takes one, too: it has to get into the output
  while (Index(1) << steps < n_) ++steps;

  // Each step reads what the one before wrote; the last one writes the output.
  Span<const T> from = input;
  Index shift = Kind::with_own_element ? 0 : 1;
  for (int step = 0; step < steps; ++step) {
    const Span<T> to = (steps - step) % 2 == 1 ? output : other_.span();
    executor_->launch(*step_, divide_up(n_, threads_), Step{from, to, n_, Index(1) << step, shift, threads_});
    from = {to.data, to.count};
    shift = 0;
  }
}

template <class T, class Operator, class Kind>
std::vector<KernelResources> ScanNaive<T, Operator, Kind>::kernels() const {
  return {step_->resources};
}

}  // namespace fathom
