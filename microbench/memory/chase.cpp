// SPDX-License-Identifier: Apache-2.0
// The latency of a dependent load in shared memory, L1, L2 and DRAM.
#include <fathom/microbench/bench.h>

#include <limits>
#include <numeric>
#include <random>

namespace fathom::microbench {

// Each word loaded is the address of the next, so there are only loads between two clock readings. The store
// of the cursor depends on the last load, so the clock is read only after all loads have completed.
const char* const chase_text = R"(
using Address = unsigned long long;

// Entry i lies at the beginning of line at[i], and holds the address of entry next[i].
__global__ void lay_cycle(Address* memory, const unsigned* at, const unsigned* next, unsigned entries, unsigned stride) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < entries; i += gridDim.x * blockDim.x)
    memory[static_cast<size_t>(at[i]) * stride] = reinterpret_cast<Address>(memory + static_cast<size_t>(at[next[i]]) * stride);
}

template <bool through_l1>
__device__ Address chased(Address at) {
  if (through_l1) asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(at));
  else asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(at));
  return at;
}

template <bool through_l1>
__global__ void chase(volatile Address* cursor, long long* clocks, unsigned warm, unsigned steps) {
  Address at = *cursor;
#pragma unroll 1
  for (unsigned step = 0; step < warm; ++step) at = chased<through_l1>(at);
  *cursor = at;
  const long long begin = clock64();
#pragma unroll 32
  for (unsigned step = 0; step < steps; ++step) at = chased<through_l1>(at);
  *cursor = at;
  *clocks = clock64() - begin;
}

__global__ void chase_shared(const unsigned* next, unsigned entries, volatile Address* cursor, long long* clocks,
                             unsigned steps) {
  extern __shared__ unsigned words[];
  for (unsigned i = threadIdx.x; i < entries; i += blockDim.x)
    words[i] = static_cast<unsigned>(__cvta_generic_to_shared(words + next[i]));
  __syncthreads();
  unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(words));
  const long long begin = clock64();
#pragma unroll 32
  for (unsigned step = 0; step < steps; ++step) asm volatile("ld.volatile.shared.u32 %0, [%0];" : "+r"(at));
  *cursor = at;
  *clocks = clock64() - begin;
}
)";

namespace {

constexpr unsigned steps = 4096;
constexpr std::size_t line = 128;  // bytes

// Sattolo's shuffle: a permutation that is one cycle through all entries.
std::vector<unsigned> random_cycle(std::size_t entries) {
  std::vector<unsigned> next(entries);
  std::iota(next.begin(), next.end(), 0u);
  std::mt19937 random(42);
  for (std::size_t i = entries - 1; i > 0; --i)
    std::swap(next[i], next[std::uniform_int_distribution<std::size_t>(0, i - 1)(random)]);
  return next;
}

/// `entries` lines spread over `lines`: a random one of each equal part. Part 0 has line 0, where chases
/// begin.
std::vector<unsigned> random_lines(std::size_t entries, std::size_t lines) {
  std::vector<unsigned> at(entries);
  std::mt19937 random(43);
  const std::size_t part = lines / entries;
  for (std::size_t i = 1; i < entries; ++i)
    at[i] = unsigned(i * part + std::uniform_int_distribution<std::size_t>(0, part - 1)(random));
  return at;
}

class Chase {
 public:
  explicit Chase(Bench& bench) : bench_(bench), cursor_(bench.executor, 1), clocks_(bench.executor, 1) {}

  Series shared(std::size_t bytes) {
    const std::size_t entries = bytes / sizeof(unsigned);
    const DeviceArray<unsigned> next(bench_.executor, std::span<const unsigned>(random_cycle(entries)));
    const auto kernel =
        bench_.executor.prepare_cuda(chase_text, "chase_shared", {32, static_cast<int>(bytes)});
    return sampled(benchmarks::chase_shared, bytes, [&] {
      launch(bench_.executor, *kernel, 1, next.data(), static_cast<unsigned>(entries), cursor_.data(),
             clocks_.data(), steps);
    });
  }

  // A launch starts with an empty L1, so each one walks the whole cycle once before it reads the clock.
  Series l1(std::size_t bytes) {
    const auto entries = lay_cycle(bytes);
    const auto kernel = bench_.executor.prepare_cuda(chase_text, "chase<true>", {1});
    return sampled(benchmarks::chase_l1, bytes, [&] { chase(*kernel, entries); });
  }

  // The L2 keeps its lines between launches: one walk before the first launch is enough.
  Series l2(std::size_t bytes) {
    const auto entries = lay_cycle(bytes);
    const auto kernel = bench_.executor.prepare_cuda(chase_text, "chase<false>", {1});
    chase(*kernel, entries);
    return sampled(benchmarks::chase_l2, bytes, [&] { chase(*kernel, 0); });
  }

  // Every launch continues in the cycle where the last one stopped, so no line is accessed twice. Writing the
  // other array evicts from the L2 what the setup of the cycle left there. Random lines over this much memory
  // also miss in the TLB: the measured latency includes some page walks, which streaming accesses avoid. Of
  // the lines, the cycle has no more than all launches visit: each of the others would take time to lay.
  Series dram(std::size_t bytes) {
    const std::size_t visited =
        std::size_t{steps} * std::size_t(bench_.repeats + 1) * (1 + Repetition::rounds);
    lay_cycle(bytes, visited);
    const auto kernel = bench_.executor.prepare_cuda(chase_text, "chase<false>", {1});
    return sampled(benchmarks::chase_dram, bytes, [&] {
      bench_.executor.fill(bench_.to.data(), 0x5a, bench_.to.bytes());
      chase(*kernel, 0);
    });
  }

 private:
  using Address = unsigned long long;

  unsigned lay_cycle(std::size_t bytes, std::size_t most_entries = std::numeric_limits<unsigned>::max()) {
    const auto entries = static_cast<unsigned>(std::min(bytes / line, most_entries));
    const DeviceArray<unsigned> at(bench_.executor,
                                   std::span<const unsigned>(random_lines(entries, bytes / line)));
    const DeviceArray<unsigned> next(bench_.executor, std::span<const unsigned>(random_cycle(entries)));
    auto* memory = reinterpret_cast<Address*>(bench_.from.data());
    const auto kernel = bench_.executor.prepare_cuda(chase_text, "lay_cycle", {256});
    launch(bench_.executor, *kernel, 8 * bench_.gpu.multiprocessors, memory, at.data(), next.data(), entries,
           static_cast<unsigned>(line / sizeof(Address)));
    bench_.executor.synchronize();
    const auto start = reinterpret_cast<Address>(memory);
    bench_.executor.upload(cursor_.data(), &start, sizeof start);
    return entries;
  }

  void chase(const PreparedKernel& kernel, unsigned warm) {
    launch(bench_.executor, kernel, 1, cursor_.data(), clocks_.data(), warm, steps);
  }

  template <class Run>
  Series sampled(const Benchmark& benchmark, std::size_t bytes, const Run& run) {
    return bench_.undisturbed([&] {
      Series series = series_of(benchmark, {{along::bytes, double(bytes)}});
      run();  // warms the instruction cache
      for (int repeat = 0; repeat < bench_.repeats; ++repeat) {
        run();
        bench_.executor.synchronize();
        series.samples.push_back(double(clocks_.download().front()) / steps);
      }
      series.clock_hz = bench_.executor.clock_hz();
      return series;
    });
  }

  Bench& bench_;
  DeviceArray<Address> cursor_;
  DeviceArray<long long> clocks_;
};

}  // namespace

std::vector<Series> measure_chases(Bench& bench) {
  constexpr std::size_t KiB = 1024, MiB = 1024 * KiB, GiB = 1024 * MiB;
  Chase chase(bench);
  std::vector<std::function<Series()>> points = {
      [&] { return chase.shared(8 * KiB); },
      [&] { return chase.shared(32 * KiB); },
      [&] { return chase.l1(4 * KiB); },
      [&] { return chase.l1(16 * KiB); },
      [&] { return chase.l2(bench.gpu.l2_bytes / 32 / line * line); },
      [&] { return chase.l2(bench.gpu.l2_bytes / 8 / line * line); },
      [&] { return chase.dram(std::min(bench.from.bytes(), GiB)); },
  };
  std::vector<Series> series;
  for (const auto& point : points) {
    bench.progress("chase", series.size(), points.size());
    series.push_back(point());
  }
  bench.progress("chase", points.size(), points.size());
  return series;
}

}  // namespace fathom::microbench
