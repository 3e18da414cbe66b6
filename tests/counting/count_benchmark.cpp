// SPDX-License-Identifier: Apache-2.0
// Speed of the counting executor: words counted per second on one worker.
#include <fathom/algorithms/registry.h>
#include <fathom/device/counting/counting_executor.h>

#include <benchmark/benchmark.h>

using namespace fathom;

namespace {

void count_algorithm(benchmark::State& state, const char* slug, double n) {
  const Algorithm& counted = algorithm(slug);
  CountingExecutor executor({.workers = 1});
  const auto workload = counted.make_workload(executor, counted.problem(n), Input::random);
  executor.reset();
  for (auto _ : state) workload->run();
  double words = 0;
  for (const KernelCounts& kernel : executor.counts())
    words += double(kernel.global().words + kernel.shared().words);
  state.counters["words"] = benchmark::Counter(words, benchmark::Counter::kIsRate);
}

BENCHMARK_CAPTURE(count_algorithm, sort_pairwise, "sort-pairwise", 1 << 16)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(count_algorithm, scan_matrix, "scan-matrix", 1 << 18)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(count_algorithm, reduce_vector, "reduce-vector", 1 << 20)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
