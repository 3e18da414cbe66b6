// SPDX-License-Identifier: Apache-2.0
#include <fathom/calls/measuring/bench.h>

#include <fathom/calibration/run_parameters.h>
#include <fathom/calls/measuring/gpu.h>
#include <fathom/calls/measuring/provenance.h>
#include <fathom/calls/predicting/problem.h>
#include <fathom/core/system/whole_file.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <tuple>

namespace fathom::calls {
namespace {

/// Identifies a configuration among those measured.
using Configuration =
    std::tuple<std::string, Input, std::string, Order, bool, double, std::map<std::string, int>>;

Configuration configuration(const std::string& algorithm, const Problem& problem, Input input) {
  return {algorithm,      input,     type_text(problem),         problem.order,
          problem.stable, problem.n, by_name(problem.parameters)};
}

/// The dataset that an earlier run of the command wrote; empty if there is none.
Dataset dataset_so_far(const std::filesystem::path& file) {
  return std::filesystem::exists(file) ? read_dataset(file) : Dataset{};
}

/// Adds the command to the dataset's origin.
void continue_with(Dataset& dataset, const Provenance& now, const std::filesystem::path& file) {
  if (dataset.runs.empty()) {
    dataset.provenance = now;
    return;
  }
  if (dataset.provenance.gpu != now.gpu)
    throw std::runtime_error(fmt::format("{} has runs of '{}', this GPU is '{}': choose another file",
                                         file.string(), dataset.provenance.gpu, now.gpu));
  std::string& command = dataset.provenance.command;
  if (command.find(now.command) == command.npos) command += "; " + now.command;
}

/// Runs the configurations missing from the dataset and updates the file as it goes. Returns one line for
/// each configuration that failed.
std::vector<std::string> run_missing(CudaExecutor& executor, const std::vector<Case>& cases, int repeats,
                                     Dataset& dataset, const OutputFile& file, OtherWork& other_work,
                                     const Listener& listener) {
  std::set<Configuration> measured;
  for (const Measurement& run : dataset.runs)
    measured.insert(configuration(run.algorithm, run.problem, run.input));
  std::vector<Case> missing;
  for (const Case& one : cases)
    if (measured.insert(configuration(one.algorithm->slug, one.problem, one.input)).second)
      missing.push_back(one);
  if (missing.empty()) return {};

  // Before the kernels are compiled, what the sizes do not allow; then, with their registers, what the GPU
  // does not.
  missing =
      runnable(missing, any_device(executor.shared_bytes_per_block()), executor.free_bytes(), listener.note);
  warm_cache(executor, missing, listener.progress);
  missing = runnable(missing, executor.plan_device(), executor.free_bytes(), listener.note);

  // Often enough to lose little in a crash, rarely enough not to spend the time writing a large file.
  constexpr auto between_writes = std::chrono::seconds(10);
  auto last_write = std::chrono::steady_clock::now();
  std::vector<std::string> failures;
  for (std::size_t i = 0; i < missing.size(); ++i) {
    try {
      const Progress within = [&](auto&&...) { listener.progress(in_words(missing[i]), i, missing.size()); };
      dataset.runs.push_back(bench(executor, missing[i], repeats, within));
    } catch (const KernelFailure& failure) {
      failures.push_back(failure.what());
      executor.synchronize();  // throws if the failure made the device unusable
    }
    if (std::chrono::steady_clock::now() - last_write > between_writes) {
      file.write(to_json(dataset));
      other_work.look();
      last_write = std::chrono::steady_clock::now();
    }
  }
  other_work.look();
  return failures;
}

}  // namespace

std::vector<Case> bench_cases(const std::vector<const Algorithm*>& algorithms, std::vector<double> sizes,
                              const BenchOptions& options,
                              const std::function<std::vector<Parameters>(const Algorithm&)>& choices) {
  std::ranges::sort(sizes);
  std::vector<Case> cases;
  for (const double n : sizes)
    for (const Algorithm* algorithm : algorithms)
      for (const std::string& type : options.type)
        for (const Parameters& parameters : choices(*algorithm))
          for (const std::string& input : options.input)
            cases.push_back({.algorithm = algorithm,
                             .problem = checked_problem(*algorithm, n, type, options.stable, parameters),
                             .input = parse_input(input)});
  return cases;
}

Dataset bench(const std::vector<Case>& cases, const BenchOptions& options, const Listener& listener) {
  const OutputFile file(options.file);
  Dataset dataset = dataset_so_far(options.file);
  OtherWork other_work(options.gpu, listener);
  CudaExecutor executor = open_gpu(options.gpu, listener);
  continue_with(dataset, provenance(executor.gpu(), options.command), options.file);
  const std::size_t before = dataset.runs.size();
  const auto keep = [&] {  // what was measured so far
    if (dataset.runs.size() > before) file.write(to_json(dataset));
  };
  std::vector<std::string> failures;
  try {
    failures = run_missing(executor, cases, options.repeats, dataset, file, other_work, listener);
  } catch (const Interrupted&) {
    keep();
    throw Interrupted(fmt::format("interrupted: {} has {} runs; the same command continues from there",
                                  options.file.string(), dataset.runs.size()));
  } catch (...) {
    keep();
    throw;
  }
  file.write(to_json(dataset));
  if (!failures.empty())
    throw KernelFailure(fmt::format("{} of {} configurations failed, the others are in {}; first failure: {}",
                                    failures.size(), cases.size(), options.file.string(), failures.front()));
  return dataset;
}

}  // namespace fathom::calls
