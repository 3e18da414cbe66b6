// SPDX-License-Identifier: Apache-2.0
// How long does a warp sleep that asks to? GPUs round: an H200 makes 4 µs of 2.5, but takes 0.5 and 1 as they
// are.
#include <fathom/microbench/bench.h>

namespace fathom::microbench {

const char* const sleep_text = R"(
__global__ void sleeps(long long* clocks, unsigned nanoseconds, int times) {
  const long long begin = clock64();
  for (int i = 0; i < times; ++i) __nanosleep(nanoseconds);
  if (threadIdx.x == 0) clocks[blockIdx.x] = clock64() - begin;
}
)";

std::vector<Series> measure_sleeps(Bench& bench) {
  constexpr int times = 16;
  const std::vector<int> lengths = {200, 500, 1000, 2500, 5000};
  const DeviceArray<long long> clocks(bench.executor, std::size_t(bench.gpu.multiprocessors));
  const auto kernel = bench.executor.prepare_cuda(sleep_text, "sleeps", {32});
  std::vector<Series> series;
  for (const int nanoseconds : lengths) {
    bench.progress("sleep", series.size(), lengths.size());
    series.push_back(bench.undisturbed([&] {
      Series one = series_of(benchmarks::sleep, {{along::nanoseconds, double(nanoseconds)}});
      for (int repeat = 0; repeat < bench.repeats; ++repeat) {
        launch(bench.executor, *kernel, bench.gpu.multiprocessors, clocks.data(), unsigned(nanoseconds),
               times);
        double sum = 0;
        for (const long long each : clocks.download()) sum += double(each);
        one.samples.push_back(sum / times / bench.gpu.multiprocessors);
      }
      one.clock_hz = bench.executor.clock_hz();
      return one;
    }));
  }
  bench.progress("sleep", lengths.size(), lengths.size());
  return series;
}

}  // namespace fathom::microbench
