// SPDX-License-Identifier: Apache-2.0
// Bandwidth of DRAM and of the L2, each for reading, writing and copying, by narrow and by wide accesses.
#include <fathom/microbench/bench.h>

#include <fmt/format.h>

namespace fathom::microbench {
namespace {

struct Direction {
  const Benchmark &of_dram, &of_l2;
  bool loads, stores;
};
constexpr Direction directions[] = {{benchmarks::stream_dram_read, benchmarks::stream_l2_read, true, false},
                                    {benchmarks::stream_dram_write, benchmarks::stream_l2_write, false, true},
                                    {benchmarks::stream_dram_copy, benchmarks::stream_l2_copy, true, true}};

const Benchmark& of_dram(const Direction& direction) {
  return direction.of_dram;
}
const Benchmark& of_l2(const Direction& direction) {
  return direction.of_l2;
}

struct Accesses {
  int width, independent;
};

Mix stream(const Direction& direction, Accesses accesses, bool through_l1) {
  return {.width = accesses.width,
          .through_l1 = through_l1,
          .loads = direction.loads ? accesses.independent : 0,
          .stores = direction.stores ? accesses.independent : 0};
}

const std::vector<Accesses> accesses_of_dram = {{4, 4}, {4, 8}, {16, 2}, {16, 4}},
                            accesses_of_l2 = {{4, 4}, {16, 1}, {16, 2}};

/// `bytes` is what all arrays walked through have together.
std::vector<Series> measure(Bench& bench, const Benchmark& (*of)(const Direction&),
                            const std::vector<Accesses>& accesses, bool through_l1, std::size_t bytes) {
  const Residency resident = residency(bench.gpu, bench.warps().back());
  const std::size_t points = std::size(directions) * accesses.size();
  std::vector<Series> series;
  for (const Direction& direction : directions)
    for (const Accesses& one : accesses) {
      bench.progress(of(direction).name, series.size(), points);
      const Mix mix = stream(direction, one, through_l1);
      const Launch run = bench.mix(resident, mix, direction.loads && direction.stores ? bytes / 2 : bytes);
      const unsigned steps = bench.steps_of_launch(run);
      const double threads = double(resident.blocks) * bench.gpu.multiprocessors * resident.shape.threads;
      series.push_back(bench.timed(of(direction),
                                   {{along::width, double(one.width)},
                                    {along::I, double(one.independent)},
                                    {along::bytes, steps * threads * one.width * (mix.loads + mix.stores)}},
                                   [&] { run(steps); }));
    }
  bench.progress("stream", points, points);
  return series;
}

}  // namespace

std::vector<CudaSource> kernels_of_streams(const Bench& bench) {
  std::vector<std::string> expressions;
  for (const Direction& direction : directions) {
    for (const Accesses& one : accesses_of_dram)
      expressions.push_back(expression(stream(direction, one, true)));
    for (const Accesses& one : accesses_of_l2)
      expressions.push_back(expression(stream(direction, one, false)));
  }
  return sources(with_launch_bounds(mix_text, bench.gpu.threads_per_multiprocessor), expressions);
}

// Loads from the L2 bypass the L1, which otherwise keeps what it reads again; loads from DRAM pass through
// it, as in any kernel. A quarter of the L2, as in l2.cpp, or one step of the grid if that is more.
std::vector<Series> measure_streams(Bench& bench) {
  std::vector<Series> series = measure(bench, of_dram, accesses_of_dram, true, bench.from.bytes());
  for (Series& one : measure(bench, of_l2, accesses_of_l2, false, bench.gpu.l2_bytes / 4))
    series.push_back(std::move(one));
  return series;
}

}  // namespace fathom::microbench
