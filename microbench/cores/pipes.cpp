// SPDX-License-Identifier: Apache-2.0
// Throughput and latency of the pipes of a multiprocessor, one instruction at a time: ALU, FMA, both in turn,
// shuffles, shared loads, barriers.
#include <fathom/microbench/bench.h>

#include <fmt/format.h>

namespace fathom::microbench {

// Independent chains of dependent links; a link is one or more instructions that no compiler can shorten:
// constants alternate, so that two links never combine into one instruction.
const char* const pipe_text = R"(
extern __shared__ uint4 slots[];  // each holds its own address

struct Lop3 {
  unsigned x;
  Lop3() = default;
  __device__ explicit Lop3(unsigned seed) : x(seed) {}
  __device__ void link(uint4 k) {
    asm volatile("lop3.b32 %0, %0, %1, %2, 0x6a;" : "+r"(x) : "r"(k.x), "r"(k.y));
    asm volatile("lop3.b32 %0, %0, %1, %2, 0x6a;" : "+r"(x) : "r"(k.z), "r"(k.w));
  }
  __device__ unsigned result() { return x; }
};
struct Min {
  unsigned x;
  Min() = default;
  __device__ explicit Min(unsigned seed) : x(seed) {}
  __device__ void link(uint4 k) {
    asm volatile("min.u32 %0, %0, %1;" : "+r"(x) : "r"(k.x));
    asm volatile("max.s32 %0, %0, %1;" : "+r"(x) : "r"(k.z));
  }
  __device__ unsigned result() { return x; }
};
struct Select {
  unsigned x;
  Select() = default;
  __device__ explicit Select(unsigned seed) : x(seed) {}
  __device__ void link(uint4 k) {
    asm volatile("{ .reg .pred p; setp.lt.u32 p, %0, %1; selp.b32 %0, %2, %3, p; }"
                 : "+r"(x) : "r"(k.x), "r"(k.y), "r"(k.z));
    asm volatile("{ .reg .pred p; setp.lt.u32 p, %0, %1; selp.b32 %0, %2, %3, p; }"
                 : "+r"(x) : "r"(k.w), "r"(k.z), "r"(k.x));
  }
  __device__ unsigned result() { return x; }
};
struct Select64 {
  unsigned long long x;
  Select64() = default;
  __device__ explicit Select64(unsigned seed) : x(seed) {}
  __device__ void link(uint4 k) {
    const unsigned long long a = (unsigned long long)k.x << 32 | k.y, b = (unsigned long long)k.z << 32 | k.w,
                             c = (unsigned long long)k.y << 32 | k.z;
    asm volatile("{ .reg .pred p; setp.lt.u64 p, %0, %1; selp.b64 %0, %2, %3, p; }"
                 : "+l"(x) : "l"(a), "l"(b), "l"(c));
    asm volatile("{ .reg .pred p; setp.lt.u64 p, %0, %1; selp.b64 %0, %2, %3, p; }"
                 : "+l"(x) : "l"(c), "l"(a), "l"(b));
  }
  __device__ unsigned result() { return unsigned(x ^ x >> 32); }
};
struct Ffma {
  float x;
  Ffma() = default;
  __device__ explicit Ffma(unsigned seed) : x(seed) {}
  __device__ void link(uint4 k) {
    asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x) : "f"(__uint_as_float(k.x)), "f"(__uint_as_float(k.y)));
  }
  __device__ unsigned result() { return __float_as_uint(x); }
};
struct Imad {
  unsigned x;
  Imad() = default;
  __device__ explicit Imad(unsigned seed) : x(seed) {}
  __device__ void link(uint4 k) { asm volatile("mad.lo.u32 %0, %0, %1, %2;" : "+r"(x) : "r"(k.x), "r"(k.y)); }
  __device__ unsigned result() { return x; }
};
struct Lop3Ffma {  // two chains, an instruction of each in turn
  Lop3 alu;
  Ffma fma;
  Lop3Ffma() = default;
  __device__ explicit Lop3Ffma(unsigned seed) : alu(seed), fma(seed) {}
  __device__ void link(uint4 k) {
    asm volatile("lop3.b32 %0, %0, %1, %2, 0x6a;" : "+r"(alu.x) : "r"(k.x), "r"(k.y));
    fma.link(k);
    asm volatile("lop3.b32 %0, %0, %1, %2, 0x6a;" : "+r"(alu.x) : "r"(k.z), "r"(k.w));
    fma.link(k);
  }
  __device__ unsigned result() { return alu.result() + fma.result(); }
};
struct Shuffle {
  unsigned x;
  Shuffle() = default;
  __device__ explicit Shuffle(unsigned seed) : x(seed) {}
  __device__ void link(uint4) { asm volatile("shfl.sync.bfly.b32 %0, %0, 1, 31, 0xffffffff;" : "+r"(x)); }
  __device__ unsigned result() { return x; }
};
template <int bytes>
struct SharedLoad {  // the lanes load adjacent words, the warp 1, 2 or 4 wavefronts
  unsigned x;
  SharedLoad() = default;
  __device__ explicit SharedLoad(unsigned)
      : x(unsigned(__cvta_generic_to_shared(slots)) + threadIdx.x % 32 * bytes) {}
  __device__ void link(uint4) {
    unsigned y, z, w;
    if (bytes == 4) asm volatile("ld.volatile.shared.u32 %0, [%0];" : "+r"(x));
    if (bytes == 8) asm volatile("ld.volatile.shared.v2.u32 {%0, %1}, [%0];" : "+r"(x), "=r"(y));
    if (bytes == 16)
      asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%0];" : "+r"(x), "=r"(y), "=r"(z), "=r"(w));
  }
  __device__ unsigned result() { return x; }
};
struct Barrier {
  Barrier() = default;
  __device__ explicit Barrier(unsigned) {}
  __device__ void link(uint4) { __syncthreads(); }
  __device__ unsigned result() { return 0; }
};

template <class Link, int chains, int links>
__global__ void HALF_FULL pipe(unsigned* sink, unsigned steps, uint4 k, unsigned zero) {
  unsigned* const words = reinterpret_cast<unsigned*>(slots);
  if (threadIdx.x < 32)
    for (int i = 0; i < 4; ++i)
      words[4 * threadIdx.x + i] = unsigned(__cvta_generic_to_shared(words + 4 * threadIdx.x + i));
  __syncthreads();
  Link chain[chains];
#pragma unroll
  for (int i = 0; i < chains; ++i) chain[i] = Link(threadIdx.x + i);
#pragma unroll 1
  for (unsigned step = 0; step < steps; ++step) {
#pragma unroll
    for (int link = 0; link < links; link += chains)
#pragma unroll
      for (int i = 0; i < chains; ++i) chain[i].link(k);
  }
  if (zero != 0)  // never, but the compiler cannot know that
    for (int i = 0; i < chains; ++i) sink[i] = chain[i].result();
}
)";

namespace {

struct Pipe {
  const Benchmark& benchmark;
  const char* link;
  int instructions;  // of a link
  int links;         // of an iteration: 256 instructions or fewer, which stay in the instruction caches
};
constexpr Pipe pipes[] = {{benchmarks::pipe_lop3, "Lop3", 2, 128},
                          {benchmarks::pipe_min, "Min", 2, 128},
                          {benchmarks::pipe_select, "Select", 4, 64},
                          {benchmarks::pipe_select64, "Select64", 8, 32},
                          {benchmarks::pipe_ffma, "Ffma", 1, 256},
                          {benchmarks::pipe_imad, "Imad", 1, 256},
                          {benchmarks::pipe_lop3_ffma, "Lop3Ffma", 4, 64},
                          {benchmarks::pipe_shuffle, "Shuffle", 1, 128},
                          {benchmarks::pipe_lds4, "SharedLoad<4>", 1, 128},
                          {benchmarks::pipe_lds8, "SharedLoad<8>", 1, 128},
                          {benchmarks::pipe_lds16, "SharedLoad<16>", 1, 128},
                          {benchmarks::pipe_barrier, "Barrier", 1, 64}};

std::string expression(const Pipe& pipe, int chains) {
  return fmt::format("pipe<{}, {}, {}>", pipe.link, chains, pipe.links);
}

struct Point {
  int warps, chains;
};

/// One warp and one chain show the latency, all warps and four chains the throughput; quick sweeps have only
/// these. A barrier has no chains; its cost depends on the warps of its block.
std::vector<Point> points_of(const Pipe& pipe, const Bench& bench) {
  const int full = bench.gpu.threads_per_multiprocessor / bench.gpu.warp_width;
  if (&pipe.benchmark != &benchmarks::pipe_barrier)
    return bench.quick ? std::vector<Point>{{1, 1}, {full, 4}}
                       : std::vector<Point>{{1, 1}, {4, 4}, {full, 1}, {full, 4}};
  std::vector<Point> points;
  for (int warps = 1; warps < full; warps *= 2) points.push_back({warps, 1});
  points.push_back({full, 1});
  return points;
}

}  // namespace

std::vector<CudaSource> kernels_of_pipes(const Bench& bench) {
  std::vector<std::string> expressions;
  for (const Pipe& pipe : pipes)
    for (const int chains : {1, 4}) expressions.push_back(expression(pipe, chains));
  return sources(with_launch_bounds(pipe_text, bench.gpu.threads_per_multiprocessor), expressions);
}

std::vector<Series> measure_pipes(Bench& bench) {
  const std::string text = with_launch_bounds(pipe_text, bench.gpu.threads_per_multiprocessor);
  std::vector<Series> series;
  for (std::size_t i = 0; i < std::size(pipes); ++i) {
    const Pipe& pipe = pipes[i];
    bench.progress("pipes", i, std::size(pipes));
    for (const Point& point : points_of(pipe, bench)) {
      Residency resident = residency(bench.gpu, point.warps);
      resident.shape.shared_bytes = std::max(resident.shape.shared_bytes, pipe_shared_bytes);
      const auto kernel = bench.prepare(text, expression(pipe, point.chains), resident);
      const Launch run = [&](unsigned steps) {
        launch(bench.executor, *kernel, resident.blocks * bench.gpu.multiprocessors, bench.to.data(), steps,
               mix_constants, 0u);
      };
      const unsigned steps = bench.steps_of_launch(run);
      series.push_back(bench.timed(pipe.benchmark,
                                   {{along::warps, double(resident.warps)},
                                    {along::chains, double(point.chains)},
                                    {along::instructions, double(steps) * pipe.links * pipe.instructions}},
                                   [&] { run(steps); }));
    }
  }
  bench.progress("pipes", std::size(pipes), std::size(pipes));
  return series;
}

}  // namespace fathom::microbench
