// SPDX-License-Identifier: Apache-2.0
// How fast does a multiprocessor fetch instructions: straight-line code that it has never run, and the same
// code again.
#include <fathom/microbench/bench.h>

#include <numeric>

namespace fathom::microbench {

// 32 chunks of 4 KiB, an instruction taking 16 bytes: 252 multiply-adds in four chains, which a warp can
// issue at one per clock, and the check whether this is the end. The clock is read around the last pass
// through the first `length` chunks. The kernel exists twice: one copy's code evicts the other's from the
// instruction caches.
const char* const instruction_fetch_text = R"(
#define LINK(i) asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x##i) : "f"(a), "f"(b));
#define LINKS4 LINK(0) LINK(1) LINK(2) LINK(3)
#define LINKS12 LINKS4 LINKS4 LINKS4
#define LINKS84 LINKS12 LINKS12 LINKS12 LINKS12 LINKS12 LINKS12 LINKS12
#define CHUNK(k) if (length <= k) break; LINKS84 LINKS84 LINKS84
#define CHUNKS4(k) CHUNK(k) CHUNK(k + 1) CHUNK(k + 2) CHUNK(k + 3)
#define CHUNKS16(k) CHUNKS4(k) CHUNKS4(k + 4) CHUNKS4(k + 8) CHUNKS4(k + 12)

template <int copy>
__global__ void straight_line(long long* clocks, int length, int passes, float a, float b, float never) {
  float x0 = threadIdx.x, x1 = x0 + 1, x2 = x0 + 2, x3 = x0 + 3;
  long long begin = 0;
#pragma unroll 1
  for (int pass = 0; pass < passes; ++pass) {
    __syncthreads();
    begin = clock64();
    do { CHUNKS16(0) CHUNKS16(16) } while (false);
  }
  const float sum = x0 + x1 + x2 + x3;
  const long long end = clock64();
  if (threadIdx.x == 0) clocks[blockIdx.x] = end - begin;
  if (sum == never) clocks[0] = copy;
}
)";

namespace {

constexpr int chunk_bytes = 4096, chunk_instructions = 252;
constexpr int chunks = 32;

enum class Code {
  cached,   ///< it ran just before
  evicted,  ///< the multiprocessor has run other code since: the L2 has it
  flushed,  ///< the L2 has other data, too: DRAM has it
};

}  // namespace

std::vector<Series> measure_instruction_fetch(Bench& bench) {
  // Not a single chunk: a start of the kernel fetches it, whatever has run before.
  std::vector<int> lengths = {2, 4, 8, 12, 16, 20, 24, 28, 32};
  if (bench.quick) lengths = {2, 8, 32};
  const std::vector<int> warp_counts = {1, 8};
  const std::vector<Code> codes = {Code::cached, Code::evicted, Code::flushed};
  const DeviceArray<long long> clocks(bench.executor, std::size_t(bench.gpu.multiprocessors));
  const auto run = [&](const PreparedKernel& kernel, int length, int passes) {
    launch(bench.executor, kernel, bench.gpu.multiprocessors, clocks.data(), length, passes, 0.999f, 0.3f,
           -1.0f);
  };

  std::vector<Series> series;
  const std::size_t points = lengths.size() * warp_counts.size() * codes.size();
  for (const int warps : warp_counts) {
    const auto kernel =
        bench.prepare(instruction_fetch_text, "straight_line<0>", residency(bench.gpu, warps));
    const auto other = bench.prepare(instruction_fetch_text, "straight_line<1>", residency(bench.gpu, warps));
    for (const Code code : codes)
      for (const int length : lengths) {
        bench.progress("instruction-fetch", series.size(), points);
        series.push_back(bench.undisturbed([&] {
          Series one = series_of(benchmarks::instruction_fetch,
                                 {{along::bytes, double(length) * chunk_bytes},
                                  {along::instructions, double(length) * chunk_instructions},
                                  {along::warps, double(warps)},
                                  {along::evicted, code == Code::cached ? 0.0 : 1.0},
                                  {along::flushed, code == Code::flushed ? 1.0 : 0.0}});
          run(*kernel, length, 1);  // warms the L2
          for (int repeat = -1; repeat < bench.repeats; ++repeat) {
            run(*other, chunks, 1);
            if (code == Code::flushed) bench.executor.fill(bench.to.data(), 0x5a, 4 * bench.gpu.l2_bytes);
            run(*kernel, length, code == Code::cached ? 3 : 1);
            if (repeat < 0) continue;  // the first time, the other code and the kernel come from farther away
            const std::vector<long long> of_blocks = clocks.download();
            one.samples.push_back(std::accumulate(of_blocks.begin(), of_blocks.end(), 0.0) /
                                  double(of_blocks.size()));
          }
          one.clock_hz = bench.executor.clock_hz();
          return one;
        }));
      }
  }
  bench.progress("instruction-fetch", points, points);
  return series;
}

}  // namespace fathom::microbench
