// SPDX-License-Identifier: Apache-2.0
// Throughput and latency of register operations.
#include <fathom/microbench/bench.h>

#include <fmt/format.h>

namespace fathom::microbench {

// I chains of dependent instructions, alternating minimum and exclusive-or: typical for the register work of
// sorting kernels, and nothing that a compiler can shorten. Minima alone are idempotent, sums fold into a
// product, a sum next to a minimum is one instruction on Hopper (VIADDMNMX), and minimum next to maximum is
// one on Blackwell. A register access is one instruction of one thread.
const char* const register_chains_text = R"(
template <int I>
__global__ void HALF_FULL register_chains(unsigned* sink, unsigned steps, unsigned a, unsigned b, unsigned never) {
  unsigned x[I];
#pragma unroll
  for (int i = 0; i < I; ++i) x[i] = (threadIdx.x + i) * 2654435761u;
#pragma unroll 1
  for (unsigned step = 0; step < steps; ++step) {
#pragma unroll
    for (int link = 0; link < 128 / I; ++link) {
#pragma unroll
      for (int i = 0; i < I; ++i) x[i] = min(x[i], a);
#pragma unroll
      for (int i = 0; i < I; ++i) x[i] ^= b;
    }
  }
  unsigned sum = 0;
#pragma unroll
  for (int i = 0; i < I; ++i) sum += x[i];
  if (sum == never && steps == never) sink[threadIdx.x] = sum;
}
)";

std::vector<Series> measure_register_ops(Bench& bench) {
  constexpr unsigned never = ~0u, bound = 0xd1342543u, mask = 0x9e3779b9u;
  return bench.sweep(
      benchmarks::register_ops,
      [&](const Residency& residency, int independent) -> Launch {
        const auto kernel =
            bench.prepare(with_launch_bounds(register_chains_text, bench.gpu.threads_per_multiprocessor),
                          fmt::format("register_chains<{}>", independent), residency);
        return [&bench, kernel, blocks = residency.blocks * bench.gpu.multiprocessors](unsigned steps) {
          launch(bench.executor, *kernel, blocks, bench.to.data(), steps, bound, mask, never);
        };
      },
      [](int) { return 256.0; });  // 128 minima and 128 exclusive-ors per step, for any I
}

}  // namespace fathom::microbench
