// SPDX-License-Identifier: Apache-2.0
// The cost of a shared access with several of a warp's addresses in one bank.
#include <fathom/microbench/bench.h>

namespace fathom::microbench {

// Lane l reads row l mod degree of bank l / degree: every bank used gets `degree` distinct addresses, except
// the last if degree does not divide 32. Each word holds its own address, so that every access depends on the
// previous one.
const char* const conflict_text = R"(
__global__ void HALF_FULL conflict(unsigned* sink, unsigned degree, unsigned steps, unsigned never) {
  extern __shared__ unsigned words[];  // 32 rows of 32 banks
  for (unsigned i = threadIdx.x; i < 32 * 32; i += blockDim.x)
    words[i] = static_cast<unsigned>(__cvta_generic_to_shared(words + i));
  __syncthreads();
  const unsigned lane = threadIdx.x % 32;
  unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(words + lane % degree * 32 + lane / degree));
#pragma unroll 1
  for (unsigned step = 0; step < steps; step += 16) {
#pragma unroll
    for (int u = 0; u < 16; ++u) asm volatile("ld.volatile.shared.u32 %0, [%0];" : "+r"(at));
  }
  if (at == never) sink[threadIdx.x] = at;
}
)";

std::vector<Series> measure_conflicts(Bench& bench) {
  constexpr unsigned never = ~0u;
  constexpr int words_bytes = 32 * 32 * sizeof(unsigned);
  const int full = bench.gpu.threads_per_multiprocessor / bench.gpu.warp_width;
  // Only whether time grows linearly with the degree is looked at.
  std::vector<unsigned> degrees = {1, 2, 3, 4, 5, 6, 8, 12, 16, 20, 24, 32};
  if (bench.quick) degrees = {1, 2, 4, 8, 16, 32};
  const std::vector<int> warps = bench.quick ? std::vector{1, full} : std::vector{1, 4, 16, full};

  std::vector<Series> series;
  const std::size_t points = warps.size() * degrees.size();
  for (const int count : warps) {
    Residency resident = residency(bench.gpu, count);
    resident.shape.shared_bytes = std::max(resident.shape.shared_bytes, words_bytes);
    const auto kernel = bench.prepare(with_launch_bounds(conflict_text, bench.gpu.threads_per_multiprocessor),
                                      "conflict", resident);
    const int blocks = resident.blocks * bench.gpu.multiprocessors;
    for (const unsigned degree : degrees) {
      bench.progress("conflict", series.size(), points);
      const Launch run = [&](unsigned steps) {
        launch(bench.executor, *kernel, blocks, bench.to.data(), degree, steps, never);
      };
      const unsigned steps = bench.steps_of_launch(run);
      series.push_back(bench.timed(benchmarks::conflict,
                                   {{along::degree, double(degree)},
                                    {along::X, resident.multiplicity},
                                    {along::accesses, double(steps)}},
                                   [&] { run(steps); }));
    }
  }
  bench.progress("conflict", points, points);
  return series;
}

}  // namespace fathom::microbench
