// SPDX-License-Identifier: Apache-2.0
// Throughput of shared memory without bank conflicts.
#include <fathom/microbench/bench.h>

#include <fmt/format.h>

namespace fathom::microbench {

// Each warp owns I rows of 32 words, each lane a column: I independent reads, then every word moves to the
// next row. Moving in place uses half the shared memory of a copy, so that X·I can reach its maximum.
// Volatile accesses keep the compiler from holding words in registers from one step to the next.
const char* const shared_copy_text = R"(
template <int I>
__global__ void HALF_FULL shared_copy(unsigned* sink, unsigned steps, unsigned never) {
  extern __shared__ unsigned rows[];
  unsigned* column = rows + threadIdx.x / 32 * (32 * I) + threadIdx.x % 32;
  for (int i = 0; i < I; ++i) column[32 * i] = (threadIdx.x + i) * 2654435761u;
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(column));
  constexpr int unrolled = 16 / I;
#pragma unroll 1
  for (unsigned step = 0; step < steps; step += unrolled) {
#pragma unroll
    for (int u = 0; u < unrolled; ++u) {
      unsigned word[I];
#pragma unroll
      for (int i = 0; i < I; ++i)
        asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(word[i]) : "r"(address + 128 * i));
#pragma unroll
      for (int i = 0; i < I; ++i)
        asm volatile("st.volatile.shared.u32 [%0], %1;" : : "r"(address + 128 * ((i + 1) % I)), "r"(word[i]) : "memory");
    }
  }
  unsigned sum = 0;
  for (int i = 0; i < I; ++i) sum += column[32 * i];
  if (sum == never && steps == never) sink[threadIdx.x] = sum;
}
)";

std::vector<Series> measure_shared_copy(Bench& bench) {
  constexpr unsigned never = ~0u;
  return bench.sweep(
      benchmarks::shared_copy,
      [&](const Residency& residency, int independent) -> Launch {
        const auto kernel =
            bench.prepare(with_launch_bounds(shared_copy_text, bench.gpu.threads_per_multiprocessor),
                          fmt::format("shared_copy<{}>", independent), residency);
        return [&bench, kernel, blocks = residency.blocks * bench.gpu.multiprocessors](unsigned steps) {
          launch(bench.executor, *kernel, blocks, bench.to.data(), steps, never);
        };
      },
      [](int independent) { return 2.0 * independent; },
      [](int independent) { return 32 * independent * static_cast<int>(sizeof(unsigned)); });
}

}  // namespace fathom::microbench
