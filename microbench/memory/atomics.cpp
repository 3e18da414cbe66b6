// SPDX-License-Identifier: Apache-2.0
// Throughput and latency of atomic additions in global and in shared memory.
#include <fathom/microbench/bench.h>
#include <fathom/microbench/memory/scattered.h>

#include <fmt/format.h>

#include <bit>

namespace fathom::microbench {

// The first `lanes` lanes of each warp add. In global memory to their own words if there are enough of them,
// else to the same, or to random ones; in shared memory lane l adds to word l mod `addresses`. An addition
// whose result is used must return it, any other need not. Shared additions of a constant 1 have an
// instruction of their own, if the result is not used.
const char* const atomics_text = R"(
template <bool returning>
__device__ unsigned add_global(unsigned* at, unsigned value) {
  unsigned old = 0;
  if (returning) asm volatile("atom.relaxed.gpu.global.add.u32 %0, [%1], %2;" : "=r"(old) : "l"(at), "r"(value) : "memory");
  else asm volatile("red.relaxed.gpu.global.add.u32 [%0], %1;" : : "l"(at), "r"(value) : "memory");
  return old;
}
template <bool returning>
__device__ unsigned add_shared(unsigned at, unsigned value) {
  unsigned old = 0;
  if (returning) asm volatile("atom.shared.add.u32 %0, [%1], %2;" : "=r"(old) : "r"(at), "r"(value) : "memory");
  else asm volatile("red.shared.add.u32 [%0], %1;" : : "r"(at), "r"(value) : "memory");
  return old;
}

template <bool random, bool returning>
__global__ void HALF_FULL global_atomics(unsigned* words, unsigned mask, unsigned lanes, unsigned steps, unsigned one,
                                         unsigned never) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned next = thread, seen = 0;
  if (threadIdx.x % 32 < lanes) {
#pragma unroll 1
    for (unsigned step = 0; step < steps; step += 4) {
#pragma unroll
      for (int u = 0; u < 4; ++u) {
        seen += add_global<returning>(words + (random ? scattered(next, mask) : thread & mask), one);
        next += gridDim.x * blockDim.x;
      }
    }
  }
  if (seen == never && steps == never) *words = seen;
}

template <bool counting, bool returning>
__global__ void HALF_FULL shared_atomics(unsigned* sink, unsigned addresses, unsigned steps, unsigned one,
                                         unsigned never) {
  extern __shared__ unsigned words[];  // 32 for each warp
  words[threadIdx.x] = 0;
  const unsigned mine =
      unsigned(__cvta_generic_to_shared(words + threadIdx.x / 32 * 32 + threadIdx.x % 32 % addresses));
  unsigned seen = 0;
#pragma unroll 1
  for (unsigned step = 0; step < steps; step += 16) {
#pragma unroll
    for (int u = 0; u < 16; ++u) seen += add_shared<returning>(mine, counting ? 1 : one);
  }
  if (seen == never && steps == never) sink[threadIdx.x] = seen + words[threadIdx.x];
}

// Each addition adds what the previous one returned, which is 0. With an address that is the same for all threads the
// compiler would add up a warp's values first.
template <bool shared>
__global__ void atomic_chase(unsigned* cell, long long* clocks, unsigned steps) {
  extern __shared__ unsigned words[];
  words[threadIdx.x] = 0;
  const unsigned at = unsigned(__cvta_generic_to_shared(words + threadIdx.x));
  unsigned old = 0;
  if (!shared) old = add_global<true>(cell + threadIdx.x, old);
  const long long begin = clock64();
#pragma unroll 32
  for (unsigned step = 0; step < steps; ++step)
    old = shared ? add_shared<true>(at, old) : add_global<true>(cell + threadIdx.x, old);
  reinterpret_cast<volatile unsigned*>(cell)[threadIdx.x] = old;
  *clocks = clock64() - begin;
}
)";

namespace {

constexpr unsigned one = 1, never = ~0u;

std::string text_for(const Bench& bench) {
  return scattered_text + with_launch_bounds(atomics_text, bench.gpu.threads_per_multiprocessor);
}

struct GlobalPoint {
  std::size_t addresses;
  int lanes;
  bool random, returning;
};

Series measure_global(Bench& bench, const std::string& text, const GlobalPoint& point, int warps) {
  const Residency resident = residency(bench.gpu, warps);
  const auto kernel =
      bench.prepare(text, fmt::format("global_atomics<{}, {}>", point.random, point.returning), resident);
  const int blocks = resident.blocks * bench.gpu.multiprocessors;
  const Launch run = [&](unsigned steps) {
    launch(bench.executor, *kernel, blocks, bench.to.data(), unsigned(point.addresses - 1),
           unsigned(point.lanes), steps, one, never);
  };
  const unsigned steps = bench.steps_of_launch(run);
  return bench.timed(benchmarks::global_atomics,
                     {{along::addresses, double(point.addresses)},
                      {along::lanes, double(point.lanes)},
                      {along::random, double(point.random)},
                      {along::returning, double(point.returning)},
                      {along::warps, double(warps)},
                      {along::atomics, double(steps)}},
                     [&] { run(steps); });
}

Series measure_shared(Bench& bench, const std::string& text, unsigned addresses, bool counting,
                      bool returning, int warps) {
  const Residency resident = residency(bench.gpu, warps, 32 * sizeof(unsigned));
  const auto kernel =
      bench.prepare(text, fmt::format("shared_atomics<{}, {}>", counting, returning), resident);
  const Launch run = [&](unsigned steps) {
    launch(bench.executor, *kernel, resident.blocks * bench.gpu.multiprocessors, bench.to.data(), addresses,
           steps, one, never);
  };
  const unsigned steps = bench.steps_of_launch(run);
  return bench.timed(benchmarks::shared_atomics,
                     {{along::addresses, double(addresses)},
                      {along::counting, double(counting)},
                      {along::returning, double(returning)},
                      {along::warps, double(warps)},
                      {along::atomics, double(steps)}},
                     [&] { run(steps); });
}

Series chase(Bench& bench, const std::string& text, bool shared) {
  constexpr unsigned steps = 1024;
  const DeviceArray<unsigned> cell(bench.executor, 1);
  const DeviceArray<long long> clocks(bench.executor, 1);
  bench.executor.fill(cell.data(), 0, cell.bytes());
  const auto kernel =
      bench.executor.prepare_cuda(text, fmt::format("atomic_chase<{}>", shared), {1, sizeof(unsigned)});
  const auto run = [&] { launch(bench.executor, *kernel, 1, cell.data(), clocks.data(), steps); };
  return bench.undisturbed([&] {
    Series series = series_of(shared ? benchmarks::shared_atomic_chase : benchmarks::global_atomic_chase, {});
    run();  // warms the instruction cache
    for (int repeat = 0; repeat < bench.repeats; ++repeat) {
      run();
      series.samples.push_back(double(clocks.download().front()) / steps);
    }
    series.clock_hz = bench.executor.clock_hz();
    return series;
  });
}

}  // namespace

std::vector<CudaSource> kernels_of_atomics(const Bench& bench) {
  std::vector<std::string> expressions = {"atomic_chase<false>", "atomic_chase<true>"};
  for (const char* const kernel : {"global_atomics", "shared_atomics"})
    for (const bool first : {false, true})
      for (const bool second : {false, true})
        if (!(bench.quick && second)) expressions.push_back(fmt::format("{}<{}, {}>", kernel, first, second));
  return sources(text_for(bench), expressions);
}

std::vector<Series> measure_atomics(Bench& bench) {
  const std::string text = text_for(bench);
  const int full = bench.warps().back();
  const std::size_t all_threads =
      std::bit_floor(std::size_t(full) * 32 * std::size_t(bench.gpu.multiprocessors));
  const std::size_t in_l2 = std::bit_floor(bench.gpu.l2_bytes / 8 / sizeof(unsigned));
  std::vector<unsigned> shared_addresses = {1, 2, 4, 8, 16, 32};
  if (bench.quick) shared_addresses = {1, 32};
  std::vector<std::function<Series()>> points;
  for (const bool returning : {false, true}) {
    if (returning && bench.quick) continue;  // nothing is fitted to these
    for (const GlobalPoint& point :
         {GlobalPoint{1, 1, false, returning},             // a warp's sum, or ticket
          GlobalPoint{1, 32, false, returning},            // every thread's
          GlobalPoint{32, 32, false, returning},           // one line, own words
          GlobalPoint{256, 32, false, returning},          // few lines
          GlobalPoint{16384, 32, false, returning},        // some
          GlobalPoint{all_threads, 32, false, returning},  // own lines
          GlobalPoint{std::size_t{1} << 12, 32, true, returning}, GlobalPoint{in_l2, 32, true, returning}})
      points.push_back([&, point] { return measure_global(bench, text, point, full); });
    points.push_back([&, returning] { return measure_global(bench, text, {1, 1, false, returning}, 1); });
    for (const unsigned addresses : shared_addresses)
      for (const bool counting : {false, true}) {
        if (counting && returning) continue;  // compiled as an addition of any value
        points.push_back([&, addresses, counting, returning] {
          return measure_shared(bench, text, addresses, counting, returning, full);
        });
      }
  }
  for (const bool shared : {false, true})
    points.push_back([&, shared] { return chase(bench, text, shared); });

  std::vector<Series> series;
  for (const auto& point : points) {
    bench.progress("atomics", series.size(), points.size());
    series.push_back(point());
  }
  bench.progress("atomics", points.size(), points.size());
  return series;
}

}  // namespace fathom::microbench
