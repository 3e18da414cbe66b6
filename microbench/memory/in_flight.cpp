// SPDX-License-Identifier: Apache-2.0
// How many bytes can a multiprocessor have in flight to DRAM: over the warps, the loads of a thread, and the
// size of the L1, which receives what is loaded.
#include <fathom/microbench/bench.h>

namespace fathom::microbench {
namespace {

/// Sizes of shared memory in KiB that multiprocessors since Volta can be configured for; the L1 has the rest.
constexpr int carveouts[] = {0, 8, 16, 32, 64, 100, 132, 164, 196, 228};

struct Point {
  Residency residency;
  std::size_t carveout;
};

/// A full multiprocessor needs no shared memory to keep another block out. `every_carveout`: it is measured
/// with all of them, else, and with fewer warps, with the smallest and the largest that hold the blocks.
std::vector<Point> points(const Bench& bench, bool every_carveout) {
  const GpuInfo& gpu = bench.gpu;
  const int full = gpu.threads_per_multiprocessor / gpu.warp_width;
  std::vector<Point> all;
  for (const int warps : {full / 16, full / 8, full / 4, full / 2, full}) {
    const Residency resident = residency(gpu, warps);
    const std::size_t claimed =
        std::size_t(resident.blocks) * (std::size_t(resident.shape.shared_bytes) + gpu.shared_bytes_reserved);
    std::vector<Point> fitting;
    for (const int KiB : carveouts) {
      const std::size_t carveout = std::size_t(KiB) * 1024;
      if (carveout < claimed || carveout > gpu.shared_bytes_per_multiprocessor) continue;
      Residency carved = resident;
      // Rounded down: the driver takes the next size that is not smaller.
      carved.shape.carveout = int(100 * carveout / gpu.shared_bytes_per_multiprocessor);
      fitting.push_back({carved, carveout});
    }
    if (fitting.size() > 2 && (warps < full || !every_carveout)) fitting = {fitting.front(), fitting.back()};
    all.insert(all.end(), fitting.begin(), fitting.end());
  }
  return all;
}

struct Sweep {
  const Benchmark& benchmark;
  std::vector<Mix> mixes;
  std::vector<Point> points;
};

/// Nothing is fitted to copies: they are measured coarsely.
std::vector<Sweep> sweeps(const Bench& bench) {
  const std::vector<int> few = {1, 8}, many = {1, 2, 4, 8};
  Sweep read{benchmarks::in_flight_read, {}, points(bench, !bench.quick)},
      copy{benchmarks::in_flight_copy, {}, points(bench, false)};
  for (const int I : bench.quick ? few : many) read.mixes.push_back({.width = 4, .loads = I});
  for (const int I : few) copy.mixes.push_back({.width = 4, .loads = I, .stores = I});
  return {read, copy};
}

}  // namespace

std::vector<CudaSource> kernels_of_in_flight(const Bench& bench) {
  std::vector<std::string> expressions;
  for (const Sweep& sweep : sweeps(bench))
    for (const Mix& mix : sweep.mixes) expressions.push_back(expression(mix));
  return sources(with_launch_bounds(mix_text, bench.gpu.threads_per_multiprocessor), expressions);
}

std::vector<Series> measure_in_flight(Bench& bench) {
  std::vector<Series> series;
  for (const Sweep& sweep : sweeps(bench)) {
    const std::size_t count = sweep.mixes.size() * sweep.points.size(), before = series.size();
    for (const Mix& mix : sweep.mixes)
      for (const Point& point : sweep.points) {
        bench.progress(sweep.benchmark.name, series.size() - before, count);
        const Launch run = bench.mix(point.residency, mix, bench.from.bytes());
        const unsigned steps = bench.steps_of_launch(run);
        const double threads =
            double(point.residency.blocks) * bench.gpu.multiprocessors * point.residency.shape.threads;
        series.push_back(bench.timed(sweep.benchmark,
                                     {{along::warps, double(point.residency.warps)},
                                      {along::I, double(mix.loads)},
                                      {along::carveout, double(point.carveout)},
                                      {along::bytes, steps * threads * mix.width * (mix.loads + mix.stores)}},
                                     [&] { run(steps); }));
      }
    bench.progress(sweep.benchmark.name, count, count);
  }
  return series;
}

}  // namespace fathom::microbench
