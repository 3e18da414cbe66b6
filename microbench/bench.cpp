// SPDX-License-Identifier: Apache-2.0
#include <fathom/microbench/bench.h>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace fathom::microbench {
namespace {

constexpr double most_seconds_repeating = 30;  // in one calibration
constexpr std::size_t MiB = std::size_t{1} << 20;

// A power of two in bytes, at most 2 GiB; two arrays leave at least a fifth of the free memory.
std::size_t large_array_bytes(CudaExecutor& executor) {
  const std::size_t free = executor.free_bytes();
  std::size_t bytes = 2048 * MiB;
  while (bytes > MiB && 2 * bytes > free / 5 * 4) bytes /= 2;
  // A word is accessed again after 2·bytes of other traffic: with eight times the L2 nothing of it is left
  // there.
  const std::size_t honest = std::max(8 * executor.gpu().l2_bytes, 64 * MiB);
  if (2 * bytes < honest)
    throw OutOfDeviceMemory(fmt::format(
        "measuring global memory without the L2 needs {} MiB of free device memory, {} MiB are free",
        honest / 4 * 5 / MiB, free / MiB));
  return bytes;
}

constexpr const char* scramble_text = R"(
__global__ void scramble(unsigned* words, unsigned count) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    unsigned x = i * 2654435761u;
    x ^= x >> 15;
    x *= 2246822519u;
    words[i] = x ^ (x >> 13);
  }
}
)";

}  // namespace

Residency residency(const GpuInfo& gpu, int warps, int shared_bytes_per_warp) {
  const int threads = warps * gpu.warp_width;
  const int largest = gpu.threads_per_multiprocessor / 2;
  const int blocks = (threads + largest - 1) / largest;
  const int block_threads = threads / blocks;
  int shared = warps / blocks * shared_bytes_per_warp;
  const bool another_fits = (blocks + 1) * block_threads <= gpu.threads_per_multiprocessor;
  if (another_fits) {
    // With the system's reserve per block, blocks + 1 of these do not fit.
    const std::size_t fence = gpu.shared_bytes_per_multiprocessor / (blocks + 1);
    shared = std::max(shared, static_cast<int>(std::min(fence, gpu.shared_bytes_per_block)));
  }
  return {double(threads) / gpu.cores_per_multiprocessor, warps, blocks, {block_threads, shared}};
}

Residency residency_of_blocks(const GpuInfo& gpu, int blocks, int threads) {
  const std::size_t room =
      gpu.shared_bytes_per_multiprocessor / std::size_t(blocks) - gpu.shared_bytes_reserved;
  const int warps = blocks * threads / gpu.warp_width;
  return {double(blocks) * threads / gpu.cores_per_multiprocessor,
          warps,
          blocks,
          {threads, static_cast<int>(std::min(room, gpu.shared_bytes_per_block))}};
}

std::string with_launch_bounds(const char* text, int threads_per_multiprocessor) {
  return fmt::format("#define HALF_FULL __launch_bounds__({}, 2)\n{}", threads_per_multiprocessor / 2, text);
}

std::vector<CudaSource> sources(const std::string& text, const std::vector<std::string>& expressions) {
  std::vector<CudaSource> all;
  for (const std::string& expression : expressions) all.push_back({text, expression});
  return all;
}

// Random words, because zeros can be faster than real data.
Bench::Bench(CudaExecutor& used_executor, const Effort& effort, const Progress& used_progress)
    : executor(used_executor),
      gpu(used_executor.gpu()),
      quick(effort.quick),
      repeats(effort.quick ? std::min(effort.repeats, 5) : effort.repeats),
      from(executor, large_array_bytes(executor) / sizeof(unsigned)),
      to(executor, from.size()),
      progress_(used_progress),
      repetition_(
          most_seconds_repeating,
          [this](const Series& disturbed, double seconds, int round) { pause(disturbed, seconds, round); },
          [] {
            return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
          }) {
  const auto scramble = executor.prepare_cuda(scramble_text, "scramble", {256});
  for (const auto* array : {&from, &to})
    launch(executor, *scramble, 8 * gpu.multiprocessors, array->data(), static_cast<unsigned>(array->size()));
  executor.synchronize();
}

std::vector<int> Bench::warps() const {
  const int full = gpu.threads_per_multiprocessor / gpu.warp_width;
  std::vector<int> counts =
      quick ? std::vector{1, 4, 8, 16, 32} : std::vector{1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48};
  std::erase_if(counts, [&](int count) { return count >= full; });
  counts.push_back(full);
  return counts;
}

std::vector<int> Bench::independent() const {
  return quick ? std::vector{1, 4, 16} : std::vector{1, 2, 4, 8, 16};
}

std::shared_ptr<const PreparedKernel> Bench::prepare(const std::string& text, const std::string& expression,
                                                     const Residency& residency) {
  auto kernel = executor.prepare_cuda(text, expression, residency.shape);
  if (kernel->resources.resident_blocks < residency.blocks)
    throw KernelFailure(fmt::format("{}: {} blocks of {} threads should stay on a multiprocessor, {} do",
                                    expression, residency.blocks, residency.shape.threads,
                                    kernel->resources.resident_blocks));
  return kernel;
}

void Bench::progress(std::string_view benchmark, std::size_t done, std::size_t total) const {
  if (progress_) progress_(benchmark, done, total);
}

unsigned Bench::steps_of_launch(const Launch& launch) {
  const double wanted = quick ? 0.5e-3 : 1e-3;
  unsigned steps = step_granule;
  launch(steps);  // the first launch may load code
  executor.synchronize();
  for (int attempt = 0; attempt < 5; ++attempt) {
    const double seconds = executor.time_once([&] { launch(steps); });
    // The start distorts short launches, so approach the goal in several steps.
    const double factor = std::clamp(wanted / seconds, 1.0 / 64, 64.0);
    steps = std::max(1u, static_cast<unsigned>(std::lround(steps * factor / step_granule))) * step_granule;
    if (factor > 0.7 && factor < 1.4) break;
  }
  return steps;
}

Series series_of_times(const Benchmark& benchmark, const std::map<std::string, double>& coordinates,
                       const Timing& timing) {
  Series series = series_of(benchmark, coordinates);
  series.samples = timing.seconds;
  series.clock_hz = timing.clock_hz;
  series.clock_moved = timing.clock_moved;
  return series;
}

Series Bench::timed(const Benchmark& benchmark, const std::map<std::string, double>& coordinates,
                    const std::function<void()>& work, const std::function<void()>& before) {
  return undisturbed([&]() -> Series {
    const int fewest = std::min(fewest_repeats, repeats);
    Series series = series_of_times(benchmark, coordinates, executor.time(work, before, fewest, 1));
    if (fewest < repeats && !has_settled(series)) {
      const Timing more = executor.time(work, before, repeats - fewest, 0);
      series.samples.insert(series.samples.end(), more.seconds.begin(), more.seconds.end());
      series.clock_moved = series.clock_moved || more.clock_moved;
    }
    return series;
  });
}

void Bench::pause(const Series& disturbed, double seconds, int round) const {
  sleep_watchfully(seconds, [&] {
    progress(disturbed.benchmark + ": the GPU is busy or its clock moves, waiting to measure again",
             std::size_t(round - 1), Repetition::rounds);
  });
}

std::vector<Series> Bench::sweep(const Benchmark& benchmark,
                                 const std::function<Launch(const Residency&, int)>& make,
                                 const std::function<double(int)>& accesses_per_step,
                                 const std::function<int(int)>& shared_bytes_per_warp) {
  std::vector<Series> series;
  const std::size_t points = warps().size() * independent().size();
  for (const int independent : independent())
    for (const int count : warps()) {
      progress(benchmark.name, series.size(), points);
      const Residency resident =
          residency(gpu, count, shared_bytes_per_warp ? shared_bytes_per_warp(independent) : 0);
      const Launch launch = make(resident, independent);
      const unsigned steps = steps_of_launch(launch);
      series.push_back(timed(benchmark,
                             {{along::X, resident.multiplicity},
                              {along::I, double(independent)},
                              {along::accesses, steps * accesses_per_step(independent)}},
                             [&] { launch(steps); }));
    }
  progress(benchmark.name, points, points);
  return series;
}

}  // namespace fathom::microbench
