// SPDX-License-Identifier: Apache-2.0
// How long does a flag take from one multiprocessor to another, by a store that releases and loads that
// acquire?
#include <fathom/microbench/bench.h>

namespace fathom::microbench {

// Block 0 and its partner answer each other: even values are block 0's to wait for, odd ones the partner's.
// All blocks are resident at once. A block that waits in vain gives up, and the clocks stay 0: such a sample
// is never used.
const char* const flag_text = R"(
__device__ bool wait_for(const unsigned* flag, unsigned value) {
#pragma unroll 1
  for (unsigned polls = 0; polls < 1u << 20; ++polls) {
    unsigned seen;
    asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
    if (seen == value) return true;
  }
  return false;
}
__device__ void raise(unsigned* flag, unsigned value) {
  asm volatile("st.release.gpu.u32 [%0], %1;" : : "l"(flag), "r"(value) : "memory");
}

__global__ void flag_flights(unsigned* flag, long long* clocks, unsigned partner, unsigned rounds) {
  if (blockIdx.x == partner) {
    for (unsigned round = 0; round < rounds; ++round) {
      if (!wait_for(flag, 2 * round + 1)) return;
      raise(flag, 2 * round + 2);
    }
  } else if (blockIdx.x == 0) {
    raise(flag, 1);
    if (!wait_for(flag, 2)) return;  // both run
    const long long begin = clock64();
    for (unsigned round = 1; round < rounds; ++round) {
      raise(flag, 2 * round + 1);
      if (!wait_for(flag, 2 * round + 2)) return;
    }
    *clocks = clock64() - begin;
  }
}
)";

std::vector<Series> measure_flag_flights(Bench& bench) {
  constexpr unsigned rounds = 257;
  const DeviceArray<unsigned> flag(bench.executor, 1);
  const DeviceArray<long long> clocks(bench.executor, 1);
  Residency resident = residency(bench.gpu, 1);  // one block on each multiprocessor
  const auto kernel = bench.prepare(flag_text, "flag_flights",
                                    {resident.multiplicity, 1, 1, {1, resident.shape.shared_bytes}});
  std::vector<int> partners;  // near and far
  for (int partner = 1; partner < bench.gpu.multiprocessors; partner = 2 * partner + 1)
    partners.push_back(partner);

  std::vector<Series> series;
  for (const int partner : partners) {
    bench.progress("flag-flight", series.size(), partners.size());
    series.push_back(bench.undisturbed([&] {
      Series one = series_of(benchmarks::flag_flight, {{along::partner, double(partner)}});
      for (int repeat = -1; repeat < bench.repeats; ++repeat) {
        bench.executor.fill(flag.data(), 0, flag.bytes());
        bench.executor.fill(clocks.data(), 0, clocks.bytes());
        launch(bench.executor, *kernel, bench.gpu.multiprocessors, flag.data(), clocks.data(),
               unsigned(partner), rounds);
        if (repeat < 0) continue;  // warms the instruction cache
        one.samples.push_back(double(clocks.download().front()) / (2 * (rounds - 1)));
      }
      one.clock_hz = bench.executor.clock_hz();
      return one;
    }));
  }
  bench.progress("flag-flight", partners.size(), partners.size());
  return series;
}

}  // namespace fathom::microbench
