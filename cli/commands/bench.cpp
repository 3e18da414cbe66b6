#include <fathom/algorithms/bench.h>
#include <fathom/calibration/run_parameters.h>
#include <fathom/reports/text.h>
#include <fathom/store/dataset.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <set>
#include <tuple>

#include "arguments.h"
#include "commands.h"
#include "gpu.h"
#include "options.h"
#include "output.h"
#include "problem.h"
#include "provenance.h"
#include "terminal.h"

namespace fathom::cli {
namespace {

struct Options {
  std::vector<std::string> algorithms;
  std::string sizes;
  ProblemOptions problem;
  std::vector<std::string> inputs{"random"};
  int gpu = 0, repeats = 11;
  std::filesystem::path file;
  Output output;
};

/// Identifies a configuration among those measured.
using Configuration =
    std::tuple<std::string, Input, std::string, Order, bool, double, std::map<std::string, int>>;

Configuration configuration(const std::string& algorithm, const Problem& problem, Input input) {
  return {algorithm,      input,     type_text(problem),         problem.order,
          problem.stable, problem.n, by_name(problem.parameters)};
}

std::string in_words(const BenchCase& one) {
  std::string text =
      fmt::format("{} n = {:.0f} {}", one.algorithm->slug, one.problem.n, name(Instantiation(one.problem)));
  for (const auto& [parameter, value] : one.problem.parameters)
    text += fmt::format(" {} = {}", parameter, value);
  return text;
}

const Algorithm& algorithm_with_kernel(const std::string& slug) {
  const Algorithm& found = algorithm(slug);
  if (!found.make_workload)
    throw UsageError(fmt::format("{} has no kernel{}: fathom algorithms lists those with kernels", slug,
                                 found.baseline ? " in a build without the CUDA toolkit" : ""));
  return found;
}

/// The options without assignments to parameters that this algorithm does not have: they are meant for other
/// algorithms.
ProblemOptions options_for(const Algorithm& algorithm, ProblemOptions options) {
  std::erase_if(options.set,
                [&](const std::string& text) { return !algorithm.find_parameter(assigned_parameter(text)); });
  return options;
}

/// Throws for an assignment to a parameter that none of the algorithms has.
void check_assignments(const std::vector<const Algorithm*>& chosen, const std::vector<std::string>& set) {
  for (const std::string& text : set) {
    const std::string parameter = assigned_parameter(text);
    if (std::ranges::none_of(chosen, [&](const Algorithm* one) { return one->find_parameter(parameter); }))
      throw unknown_parameter(chosen.front()->slug, chosen.front()->parameters, parameter);
  }
}

/// Every requested configuration, small sizes first, so that an interrupted sweep has complete sizes.
std::vector<BenchCase> bench_cases(const Options& options) {
  std::vector<const Algorithm*> chosen;
  for (const std::string& slug : options.algorithms) chosen.push_back(&algorithm_with_kernel(slug));
  check_assignments(chosen, options.problem.set);
  check_distinct(options.algorithms);
  std::vector<Input> inputs;
  for (const std::string& input : options.inputs) inputs.push_back(parse_input(input));
  auto sizes = parse_sizes(options.sizes);
  std::ranges::sort(sizes);

  std::vector<BenchCase> cases;
  for (double n : sizes)
    for (const Algorithm* algorithm : chosen)
      for (const Problem& problem : problem_grid(*algorithm, n, options_for(*algorithm, options.problem)))
        for (Input input : inputs)
          cases.push_back({.algorithm = algorithm, .problem = problem, .input = input});
  return cases;
}

void check_memory(CudaExecutor& executor, const std::vector<BenchCase>& cases) {
  const std::size_t free = executor.free_bytes();
  const PlanDevice device = executor.plan_device();
  for (const BenchCase& one : cases)
    if (const std::size_t needed = device_bytes(*one.algorithm, one.problem, device); needed > free)
      throw OutOfDeviceMemory(fmt::format(
          "{} needs {} bytes of GPU memory, {} are free: choose smaller sizes", in_words(one), needed, free));
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
std::vector<std::string> run_missing(CudaExecutor& executor, const std::vector<BenchCase>& cases, int repeats,
                                     Dataset& dataset, const OutputFile& file, OtherWork& other_work) {
  std::set<Configuration> measured;
  for (const Measurement& run : dataset.runs)
    measured.insert(configuration(run.algorithm, run.problem, run.input));
  std::vector<BenchCase> missing;
  for (const BenchCase& one : cases)
    if (measured.insert(configuration(one.algorithm->slug, one.problem, one.input)).second)
      missing.push_back(one);
  if (missing.empty()) return {};

  const Progress progress = progress_on_terminal();
  warm_cache(executor, missing, progress);
  check_memory(executor, missing);  // plans ask the compiled kernels for their resident blocks

  // Often enough to lose little in a crash, rarely enough not to spend the time writing a large file.
  constexpr auto between_writes = std::chrono::seconds(10);
  auto last_write = std::chrono::steady_clock::now();
  std::vector<std::string> failures;
  for (std::size_t i = 0; i < missing.size(); ++i) {
    try {
      const Progress within = [&](auto&&...) { progress(in_words(missing[i]), i, missing.size()); };
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

Dataset bench(const Options& options, const std::string& command_line) {
  const auto cases = bench_cases(options);
  const OutputFile file(options.file);
  Dataset dataset = dataset_so_far(options.file);
  OtherWork other_work(options.gpu);
  CudaExecutor executor = open_gpu(options.gpu);
  continue_with(dataset, provenance(executor.gpu(), command_line), options.file);
  const std::size_t before = dataset.runs.size();
  std::vector<std::string> failures;
  try {
    failures = run_missing(executor, cases, options.repeats, dataset, file, other_work);
  } catch (...) {  // keep what was measured so far
    if (dataset.runs.size() > before) file.write(to_json(dataset));
    if (interrupted())
      throw Interrupted(fmt::format("interrupted: {} has {} runs; the same command continues from there",
                                    options.file.string(), dataset.runs.size()));
    throw;
  }
  file.write(to_json(dataset));
  if (!failures.empty())
    throw KernelFailure(fmt::format("{} of {} configurations failed, the others are in {}; first failure: {}",
                                    failures.size(), cases.size(), options.file.string(), failures.front()));
  return dataset;
}

}  // namespace

void add_bench(CLI::App& fathom, const std::string& command_line) {
  CLI::App* command =
      fathom.add_subcommand("bench", "Run the kernels on the GPU, check their output, and write a dataset");
  command->footer(
      "Example: fathom bench sort-pairwise cub-merge --sizes 2^16..2^28 --set E=11..19 -o sort.json");
  auto options = std::make_shared<Options>();
  command->add_option("algorithms", options->algorithms, "As listed by fathom algorithms")->required();
  command->add_option("-n,--sizes", options->sizes, "Elements: 2^16..2^28, 2^16..2^28:4, 1e6,1e7")
      ->required();
  add_problem_grid_options(*command, options->problem,
                           "Values of a parameter: --set E=11,15 or --set E=3..47 [default: its default]");
  add_list_option(*command, "--input", options->inputs, "Inputs, separated by commas: " + input_names());
  add_whole_option(*command, "--repeats", options->repeats, {1, 1e6}, "Timed runs of each configuration");
  add_whole_option(*command, "--gpu", options->gpu, gpu_indices, "Which GPU, numbered from 0");
  command
      ->add_option(
          "-o,--output", options->file,
          "The dataset. Runs already in it are not repeated, so an interrupted bench can be continued")
      ->required();
  add_json_option(*command, options->output);
  command->callback([options, command_line] {
    const Answer answer(options->output);
    const Dataset dataset = bench(*options, command_line);
    answer([&] { return reports::text(dataset); }, [&] { return to_json(dataset); });
  });
}

}  // namespace fathom::cli
