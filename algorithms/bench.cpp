#include <fathom/algorithms/bench.h>

#include <stdexcept>

namespace fathom {
namespace {

std::string describe(const BenchCase& bench_case) {
  std::string text = bench_case.algorithm->slug + " n=" + std::to_string(std::size_t(bench_case.problem.n)) +
                     " " + std::string(name(bench_case.problem.type));
  for (const auto& [parameter, value] : bench_case.problem.parameters)
    text += " " + parameter + "=" + std::to_string(value);
  return text;
}

}  // namespace

std::size_t device_bytes(const BenchCase& bench_case) {
  if (!bench_case.algorithm->device_bytes)
    throw std::invalid_argument("there is no kernel for " + bench_case.algorithm->slug + " in this build");
  return bench_case.algorithm->device_bytes(bench_case.problem);
}

void warm_cache(CudaExecutor& executor, const std::vector<BenchCase>& cases, const Progress& progress) {
  std::map<std::string, std::pair<KernelSource, BlockShape>> distinct;
  for (const BenchCase& bench_case : cases) {
    if (!bench_case.algorithm->kernels) continue;
    for (const auto& kernel : bench_case.algorithm->kernels(bench_case.problem))
      distinct.try_emplace(kernel.first.expression + "@" + std::to_string(kernel.second.threads), kernel);
  }
  std::vector<std::pair<KernelSource, BlockShape>> kernels;
  for (const auto& [key, kernel] : distinct) kernels.push_back(kernel);
  executor.warm_cache(kernels, progress);
}

Run bench(CudaExecutor& executor, const BenchCase& bench_case, int repeats) {
  const Problem& problem = bench_case.problem;
  Run run;
  run.algorithm = bench_case.algorithm->slug;
  run.type = name(problem.type);
  run.input = name(bench_case.input);
  run.n = problem.n;
  for (const auto& [parameter, value] : problem.parameters) run.parameters[parameter] = value;
  try {
    const auto driver = bench_case.algorithm->make_driver(executor, problem, bench_case.input);
    driver->check();
    run.checked = true;
    const Timing timing = executor.time([&] { driver->run(); }, {}, repeats);
    run.seconds = timing.seconds;
    run.clock_hz = timing.clock_hz;
    run.clock_moved = timing.clock_moved;
    for (const KernelResources& kernel : driver->kernels())
      run.kernels.push_back(
          {kernel.name, kernel.registers, kernel.local_bytes, kernel.shared_bytes, kernel.resident_blocks});
  } catch (const KernelFailure& failure) {
    throw KernelFailure(describe(bench_case) + ": " + failure.what());
  }
  return run;
}

}  // namespace fathom
