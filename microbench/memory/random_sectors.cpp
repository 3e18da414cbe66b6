// SPDX-License-Identifier: Apache-2.0
// Throughput of loads that use one random sector of 32 bytes each, from the L2 and from DRAM.
#include <fathom/microbench/bench.h>
#include <fathom/microbench/memory/scattered.h>

#include <fmt/format.h>

#include <bit>

namespace fathom::microbench {

// The grid goes through a permutation of the sectors, so that none is loaded twice before all others were.
// The loads bypass the L1.
const char* const random_sectors_text = R"(
template <int I>
__global__ void HALF_FULL random_sectors(const unsigned* from, unsigned* to, unsigned mask, unsigned start,
                                         unsigned steps) {
  unsigned next = start + (blockIdx.x * blockDim.x + threadIdx.x) * I;
  unsigned seen = 0;
#pragma unroll 1
  for (unsigned step = 0; step < steps; ++step) {
    unsigned word[I];
#pragma unroll
    for (int i = 0; i < I; ++i)
      asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(word[i]) : "l"(from + size_t(8) * scattered(next + i, mask)));
#pragma unroll
    for (int i = 0; i < I; ++i) seen |= word[i];
    next += gridDim.x * blockDim.x * I;
  }
  if (seen == 0) *to = 1;  // words are random
}
)";

namespace {

std::string text_for(const Bench& bench) {
  return scattered_text + with_launch_bounds(random_sectors_text, bench.gpu.threads_per_multiprocessor);
}
std::vector<int> loads_in_flight(const Bench& bench) {
  return bench.quick ? std::vector{1, 4} : std::vector{1, 2, 4};
}

}  // namespace

std::vector<CudaSource> kernels_of_random_sectors(const Bench& bench) {
  std::vector<std::string> expressions;
  for (const int I : loads_in_flight(bench)) expressions.push_back(fmt::format("random_sectors<{}>", I));
  return sources(text_for(bench), expressions);
}

std::vector<Series> measure_random_sectors(Bench& bench) {
  constexpr std::size_t sector = 32;
  const std::string text = text_for(bench);
  const int full = bench.warps().back();
  const std::vector<int> independent = loads_in_flight(bench);
  std::vector<Series> series;
  // An eighth and a quarter of the L2; four times the L2; all there is.
  std::vector<std::size_t> footprints;
  for (const std::size_t bytes :
       {bench.gpu.l2_bytes / 8, bench.gpu.l2_bytes / 4, 4 * bench.gpu.l2_bytes, bench.from.bytes()})
    footprints.push_back(std::bit_floor(std::min(bytes, bench.from.bytes())));
  const std::vector<int> warp_counts = {full / 4, full};
  const std::size_t points = footprints.size() * independent.size() * warp_counts.size();
  for (const std::size_t bytes : footprints)
    for (const int I : independent)
      for (const int warps : warp_counts) {
        bench.progress("random-sectors", series.size(), points);
        const Residency resident = residency(bench.gpu, warps);
        const auto kernel = bench.prepare(text, fmt::format("random_sectors<{}>", I), resident);
        const int blocks = resident.blocks * bench.gpu.multiprocessors;
        const auto per_step = unsigned(blocks) * unsigned(resident.shape.threads) * unsigned(I);
        unsigned start = 0;
        const Launch run = [&](unsigned steps) {
          launch(bench.executor, *kernel, blocks, bench.from.data(), bench.to.data(),
                 unsigned(bytes / sector - 1), start, steps);
          start += steps * per_step;
        };
        const unsigned steps = bench.steps_of_launch(run);
        series.push_back(bench.timed(benchmarks::random_sectors,
                                     {{along::bytes, double(bytes)},
                                      {along::I, double(I)},
                                      {along::warps, double(warps)},
                                      {along::sectors, double(steps) * per_step}},
                                     [&] { run(steps); }));
      }
  bench.progress("random-sectors", points, points);
  return series;
}

}  // namespace fathom::microbench
