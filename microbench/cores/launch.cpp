// SPDX-License-Identifier: Apache-2.0
// The cost of an empty kernel: on the GPU, behind another kernel, and for a host that waits for it.
#include <fathom/microbench/bench.h>

#include <chrono>

namespace fathom::microbench {

const char* const empty_text = "__global__ void empty() {}\n";

namespace {

Series host_time(Bench& bench, const std::function<void()>& work) {
  using Clock = std::chrono::steady_clock;
  Series series = series_of(benchmarks::launch_host, {});
  const auto once = [&] {
    const auto begin = Clock::now();
    work();
    bench.executor.synchronize();
    return std::chrono::duration<double>(Clock::now() - begin).count();
  };
  for (int warmup = 0; warmup < 3; ++warmup) once();
  for (int repeat = 0; repeat < 5 * bench.repeats; ++repeat) series.samples.push_back(once());
  series.clock_hz = bench.executor.clock_hz();
  return series;
}

}  // namespace

std::vector<Series> measure_launches(Bench& bench) {
  const auto kernel = bench.executor.prepare_cuda(empty_text, "empty", {128});
  const auto empty = [&] { launch(bench.executor, *kernel, bench.gpu.multiprocessors); };
  const std::vector<int> queued = {1, 2, 4, 8, 16, 32, 64};
  const std::size_t points = queued.size() + 2;
  std::vector<Series> series;
  bench.progress("launch", series.size(), points);
  series.push_back(bench.timed(benchmarks::launch_empty, {}, empty));
  for (const int kernels : queued) {
    bench.progress("launch", series.size(), points);
    series.push_back(bench.timed(benchmarks::launch_gap, {{along::kernels, double(kernels)}}, [&] {
      for (int i = 0; i < kernels; ++i) empty();
    }));
  }
  bench.progress("launch", series.size(), points);
  series.push_back(host_time(bench, empty));
  bench.progress("launch", points, points);
  return series;
}

std::vector<Series> measure_launch_starts(Bench& bench) {
  std::vector<Series> series;
  std::vector<int> widths = {1, 32, 64, 128, 256, 512, 1024};
  if (bench.quick) widths = {1, 1024};
  for (const int threads : widths) {
    bench.progress("launch-start", series.size(), 3 * widths.size());
    const auto kernel = bench.executor.prepare_cuda(short_blocks_text, "short_blocks", {threads});
    for (const int blocks :
         {1, bench.gpu.multiprocessors, kernel->resources.resident_blocks * bench.gpu.multiprocessors})
      series.push_back(bench.timed(benchmarks::launch_start,
                                   {{along::threads, double(threads)}, {along::blocks, double(blocks)}},
                                   [&] { launch(bench.executor, *kernel, blocks, bench.to.data(), ~0u); }));
  }
  return series;
}

}  // namespace fathom::microbench
