// SPDX-License-Identifier: Apache-2.0
#include <fathom/algorithms/bench.h>
#include <fathom/device/recording_executor.h>

#include <exception>
#include <map>
#include <stdexcept>

namespace fathom {
namespace {

constexpr int warmups = 2;

}  // namespace

std::size_t device_bytes(const Algorithm& algorithm, const Problem& problem, const PlanDevice& device) {
  if (!algorithm.make_workload)
    throw std::invalid_argument(algorithm.slug +
                                " has no kernels: run 'fathom algorithms' to see which algorithms do");
  algorithm.check(problem);
  RecordingExecutor executor(device);
  algorithm.make_workload(executor, problem, Input::random);
  return executor.allocated_bytes();
}

std::vector<Case> runnable(const std::vector<Case>& cases, const PlanDevice& device, std::size_t free_bytes,
                           const std::function<void(std::string_view)>& note) {
  std::vector<Case> runs;
  std::exception_ptr first;
  std::string why;
  const auto skip = [&](const Case& one, const std::exception& reason) {
    if (!first) why = in_words(one) + ": " + reason.what(), first = std::current_exception();
  };
  for (const Case& one : cases) try {
      const std::size_t needed = device_bytes(*one.algorithm, one.problem, device);
      if (needed > free_bytes)
        throw OutOfDeviceMemory(in_words(one) + " needs " + std::to_string(needed) +
                                " bytes of GPU memory, " + std::to_string(free_bytes) +
                                " are free: choose smaller sizes");
      runs.push_back(one);
    } catch (const OutOfDeviceMemory& reason) {
      if (!first) why = reason.what(), first = std::current_exception();
    } catch (const BlockDoesNotFit& reason) {
      skip(one, reason);
    } catch (const std::invalid_argument& reason) {
      skip(one, reason);
    }
  if (runs.empty() && first) std::rethrow_exception(first);
  if (first)
    note(std::to_string(cases.size() - runs.size()) + " of " + std::to_string(cases.size()) +
         " configurations cannot run and are left out; the first: " + why);
  return runs;
}

void warm_cache(CudaExecutor& executor, const std::vector<Case>& cases, const Progress& progress) {
  std::map<std::string, Launch> distinct;
  const PlanDevice device = any_device(executor.shared_bytes_per_block());
  for (const Case& bench_case : cases) {
    if (!bench_case.algorithm->plan) continue;
    for (const Launch& launch : bench_case.algorithm->plan(bench_case.problem, device))
      distinct.try_emplace(launch.source().expression + "@" + std::to_string(launch.shape.threads), launch);
  }
  std::vector<Launch> launches;
  for (const auto& [key, launch] : distinct) launches.push_back(launch);
  executor.warm_cache(launches, progress);
}

Measurement bench(CudaExecutor& executor, const Case& bench_case, int repeats, const Progress& progress) {
  Measurement measurement{
      .algorithm = bench_case.algorithm->slug, .problem = bench_case.problem, .input = bench_case.input};
  try {
    const auto workload = bench_case.algorithm->make_workload(executor, bench_case.problem, bench_case.input);
    workload->check();
    measurement.checked = workload->has_check();
    std::size_t started = 0;
    const auto before_each = [&] {
      if (progress) progress(bench_case.algorithm->slug, started++, std::size_t(repeats) + warmups);
    };
    const Timing timing = executor.time([&] { workload->run(); }, before_each, repeats, warmups);
    measurement.seconds = timing.seconds;
    measurement.clock_hz = timing.clock_hz;
    measurement.clock_moved = timing.clock_moved;
    for (const KernelResources& kernel : workload->kernels())
      measurement.kernels.push_back(
          {kernel.name, kernel.registers, kernel.local_bytes, kernel.shared_bytes, kernel.resident_blocks});
  } catch (const KernelFailure& failure) {
    throw KernelFailure(in_words(bench_case) + ": " + failure.what());
  }
  return measurement;
}

}  // namespace fathom
