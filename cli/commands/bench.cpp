#include <fathom/algorithms/bench.h>
#include <fathom/calibration/dataset.h>
#include <fathom/reports/text.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <set>
#include <tuple>

#include "arguments.h"
#include "commands.h"
#include "output.h"
#include "provenance.h"
#include "terminal.h"

namespace fathom::cli {
namespace {

struct Options {
  std::vector<std::string> algorithms;
  std::string sizes;
  std::vector<std::string> types{"u32"}, inputs{"random"}, set;
  int gpu = 0, repeats = 11;
  std::filesystem::path file;
  Output output;
};

/// What tells one measured configuration from another.
using Configuration = std::tuple<std::string, std::string, std::string, double, std::map<std::string, int>>;

Configuration configuration(const Run& run) {
  return {run.algorithm, run.type, run.input, run.n, run.parameters};
}

Configuration configuration(const BenchCase& one) {
  std::map<std::string, int> parameters(one.problem.parameters.begin(), one.problem.parameters.end());
  return {one.algorithm->slug, std::string(name(one.problem.type)), std::string(name(one.input)),
          one.problem.n, std::move(parameters)};
}

std::string in_words(const BenchCase& one) {
  std::string text =
      fmt::format("{} n = {:.0f} {}", one.algorithm->slug, one.problem.n, name(one.problem.type));
  for (const auto& [parameter, value] : one.problem.parameters)
    text += fmt::format(" {} = {}", parameter, value);
  return text;
}

const Algorithm& algorithm_with_kernel(const std::string& slug) {
  const Algorithm& found = algorithm(slug);
  if (!found.make_driver)
    throw UsageError(fmt::format("{} has no kernel{}: fathom algorithms says which have", slug,
                                 found.baseline ? " in a build without the CUDA toolkit" : ""));
  return found;
}

/// Each assignment has to mean something to at least one of the algorithms, and is passed to those that know
/// it.
std::vector<std::string> assignments_for(const Algorithm& algorithm, const std::vector<std::string>& set) {
  std::vector<std::string> known;
  for (const std::string& text : set)
    if (std::ranges::find(algorithm.parameters, assigned_parameter(text), &ParameterInfo::name) !=
        algorithm.parameters.end())
      known.push_back(text);
  return known;
}

void check_assignments(const std::vector<const Algorithm*>& chosen, const std::vector<std::string>& set) {
  for (const std::string& text : set)
    if (std::ranges::all_of(chosen,
                            [&](const Algorithm* one) { return assignments_for(*one, {text}).empty(); }))
      parse_grid(chosen.front()->slug, chosen.front()->parameters,
                 {text});  // which says what is wrong with it
}

/// Every configuration that was asked for: small sizes first, so that an interrupted sweep has whole sizes.
std::vector<BenchCase> plan(const Options& options) {
  std::vector<const Algorithm*> chosen;
  for (const std::string& slug : options.algorithms) chosen.push_back(&algorithm_with_kernel(slug));
  check_assignments(chosen, options.set);
  if (options.repeats < 1) throw UsageError("--repeats: at least one");
  auto sizes = parse_sizes(options.sizes);
  std::ranges::sort(sizes);

  std::vector<BenchCase> cases;
  for (double n : sizes)
    for (const Algorithm* algorithm : chosen)
      for (const std::string& type_name : options.types) {
        const ElementType type = parse_element_type(type_name);
        if (std::ranges::find(algorithm->types, type) == algorithm->types.end())
          throw UsageError(fmt::format("{} has no kernel for {}: fathom algorithms lists its types",
                                       algorithm->slug, type_name));
        for (const std::string& input : options.inputs)
          for (Parameters& parameters :
               parse_grid(algorithm->slug, algorithm->parameters, assignments_for(*algorithm, options.set)))
            cases.push_back({.algorithm = algorithm,
                             .problem = {.n = n, .type = type, .parameters = std::move(parameters)},
                             .input = parse_input(input)});
      }
  return cases;
}

void check_memory(const CudaExecutor& executor, const std::vector<BenchCase>& cases) {
  const std::size_t free = executor.free_bytes();
  for (const BenchCase& one : cases)
    if (device_bytes(one) > free)
      throw OutOfDeviceMemory(fmt::format("{} needs {} bytes of GPU memory, {} are free: take smaller sizes",
                                          in_words(one), device_bytes(one), free));
}

/// What an earlier run of the command left in the file, or nothing.
Dataset dataset_so_far(const std::filesystem::path& file, const Provenance& now) {
  if (!std::filesystem::exists(file)) return {.provenance = now, .runs = {}};
  Dataset dataset = read_dataset(file);
  if (dataset.provenance.gpu != now.gpu)
    throw std::runtime_error(fmt::format("{} holds runs of '{}', this is '{}': name another file",
                                         file.string(), dataset.provenance.gpu, now.gpu));
  std::string& command = dataset.provenance.command;
  if (command.find(now.command) == command.npos) command += "; " + now.command;
  return dataset;
}

/// Runs what the dataset lacks, and keeps the file up to date as it goes. The configurations that failed are
/// returned, one line each.
std::vector<std::string> run_missing(CudaExecutor& executor, const std::vector<BenchCase>& cases, int repeats,
                                     Dataset& dataset, const std::filesystem::path& file) {
  std::set<Configuration> measured;
  for (const Run& run : dataset.runs) measured.insert(configuration(run));
  std::vector<BenchCase> missing;
  for (const BenchCase& one : cases)
    if (measured.insert(configuration(one)).second) missing.push_back(one);
  if (missing.empty()) return {};

  check_memory(executor, missing);
  const Progress progress = progress_on_terminal();
  warm_cache(executor, missing, progress);

  // Often enough that little is lost when the machine goes down, seldom enough that a large file is not
  // written all day.
  constexpr auto between_writes = std::chrono::seconds(10);
  auto last_write = std::chrono::steady_clock::now();
  std::vector<std::string> failures;
  for (std::size_t i = 0; i < missing.size(); ++i) {
    progress(in_words(missing[i]), i, missing.size());
    try {
      dataset.runs.push_back(bench(executor, missing[i], repeats));
    } catch (const KernelFailure& failure) {
      failures.push_back(failure.what());
      executor.synchronize();  // throws when the failure took the device with it
    }
    if (std::chrono::steady_clock::now() - last_write > between_writes) {
      write_dataset(dataset, file);
      last_write = std::chrono::steady_clock::now();
    }
  }
  return failures;
}

Dataset bench(const Options& options, const std::string& command_line) {
  const auto cases = plan(options);
  check_writable(options.file);
  CudaExecutor executor(options.gpu);
  Dataset dataset = dataset_so_far(options.file, provenance(executor.gpu(), command_line));
  const std::size_t before = dataset.runs.size();
  catch_interrupts();
  std::vector<std::string> failures;
  try {
    failures = run_missing(executor, cases, options.repeats, dataset, options.file);
  } catch (...) {  // what was measured so far is kept, whatever stopped the rest
    if (dataset.runs.size() > before) write_dataset(dataset, options.file);
    if (interrupted())
      throw Interrupted(fmt::format("interrupted: {} holds {} runs, the same command goes on from there",
                                    options.file.string(), dataset.runs.size()));
    throw;
  }
  write_dataset(dataset, options.file);
  if (!failures.empty())
    throw KernelFailure(fmt::format("{} of {} configurations failed, the others are in {}; the first: {}",
                                    failures.size(), cases.size(), options.file.string(), failures.front()));
  return dataset;
}

}  // namespace

void add_bench(CLI::App& fathom, const std::string& command_line) {
  CLI::App* command = fathom.add_subcommand("bench", "Run and check the real kernels, and write a dataset");
  command->footer(
      "Example: fathom bench sort-pairwise cub-merge --sizes 2^16..2^28 --set E=11..19 -o sort.json");
  auto options = std::make_shared<Options>();
  command->add_option("algorithms", options->algorithms, "As listed by fathom algorithms")->required();
  command->add_option("-n,--sizes", options->sizes, "Elements: 2^16..2^28, 2^16..2^28:4, 1e6,1e7")
      ->required();
  command
      ->add_option("--set", options->set,
                   "Values of a parameter: --set E=11,15 or --set E=3..47; default otherwise")
      ->allow_extra_args(false);
  command->add_option("--type", options->types, "Element types: u32,u64")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->capture_default_str();
  command->add_option("--input", options->inputs, "Inputs: " + input_names())
      ->delimiter(',')
      ->allow_extra_args(false)
      ->capture_default_str();
  command->add_option("--repeats", options->repeats, "Timed runs of each configuration")
      ->capture_default_str();
  command->add_option("--gpu", options->gpu, "Which GPU, numbered from 0")->capture_default_str();
  command
      ->add_option("-o,--output", options->file,
                   "The dataset. What it already holds is not run again: an interrupted bench goes on")
      ->required();
  add_json_option(*command, options->output);
  command->callback([options, command_line] {
    const Dataset dataset = bench(*options, command_line);
    answer(
        options->output, [&] { return reports::text(dataset); }, [&] { return to_json(dataset); });
  });
}

}  // namespace fathom::cli
