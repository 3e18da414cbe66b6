#include <fathom/algorithms/count.h>
#include <fathom/reports/json.h>
#include <fathom/reports/text.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "arguments.h"
#include "commands.h"
#include "counting.h"
#include "output.h"
#include "problem.h"
#include "profiles.h"
#include "terminal.h"

namespace fathom::cli {
namespace {

struct Options {
  std::string algorithm, sizes, device, input = "random", machine, memory_limit;
  ProblemOptions problem;
  int width = 32, latency = 400;
  std::string threads = "2^14", memory_words;
  bool audit = false;
  Output output;
};

/// A whole number of at least 1, in the same notation as n.
double parse_option(std::string_view option, const std::string& text) {
  try {
    return parse_count(text);
  } catch (const UsageError&) {
    throw UsageError(
        fmt::format("{} '{}': give a whole number of at least 1, as 1024, 1e6 or 2^14", option, text));
  }
}

std::vector<MachineChoice> chosen_machines(const Options& options, const Machine<double>& machine) {
  const u64 threads = u64(parse_option("--threads", options.threads));
  const double words = options.memory_words.empty() ? machine.limits.shared_bytes_per_multiprocessor / 4
                                                    : parse_option("--memory", options.memory_words);
  if (options.machine.empty()) return {};
  if (options.machine == "dmm")
    return {MemoryMachineChoice{MachineKind::dmm, options.width, options.latency, threads}};
  if (options.machine == "umm")
    return {MemoryMachineChoice{MachineKind::umm, options.width, options.latency, threads}};
  if (options.machine == "agpu") return {AgpuChoice{threads, options.width, u64(words)}};
  throw UsageError(fmt::format("--machine '{}': choose dmm, umm or agpu", options.machine));
}

double free_memory() {
  return double(sysconf(_SC_AVPHYS_PAGES)) * double(sysconf(_SC_PAGESIZE));
}

void check_memory(const CountCase& one, const CountingDevice& device, const Options& options) {
  const double needed = double(count_bytes(one, device));
  const double there =
      options.memory_limit.empty() ? free_memory() : parse_option("--memory-limit", options.memory_limit);
  if (needed > there)
    throw std::runtime_error(fmt::format(
        "counting {} with n = {:.0f} {} needs up to {:.0f} bytes of host memory, {:.0f} are available: "
        "choose a smaller n, or raise --memory-limit",
        one.algorithm->slug, one.problem.n, type_text(one.problem), needed, there));
}

std::vector<const Algorithm*> chosen_algorithms(const Options& options) {
  if (!options.algorithm.empty()) return {&countable(algorithm(options.algorithm))};
  if (!options.audit)
    throw UsageError("no algorithm given: fathom algorithms lists them, and --audit counts all");
  std::vector<const Algorithm*> all;
  for (const Algorithm& one : algorithms())
    if (one.formula && one.plan) all.push_back(&one);
  return all;
}

std::vector<reports::CountReport> count_all(const Options& options) {
  const DeviceProfile profile = choose_profile(options.device);
  const auto machines = chosen_machines(options, profile.machine);
  std::vector<CountCase> cases;
  for (const Algorithm* algorithm : chosen_algorithms(options))
    for (double n : parse_sizes(options.sizes))
      for (Problem& problem : problem_grid(*algorithm, n, options.problem))
        cases.push_back(
            {.algorithm = algorithm, .problem = std::move(problem), .input = parse_input(options.input)});
  if (!options.audit && cases.size() > 1)
    throw UsageError("give one n and one value per parameter, or --audit for a table over several");
  for (const CountCase& one : cases) check_memory(one, counting_device(profile.machine, one), options);

  catch_interrupts();
  const Progress progress = progress_on_terminal();
  std::vector<reports::CountReport> reports;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    progress(fmt::format("{} n = {:.0f}", cases[i].algorithm->slug, cases[i].problem.n), i, cases.size());
    reports.push_back(count_report(cases[i], profile, machines));
  }
  progress("", cases.size(), cases.size());
  return reports;
}

}  // namespace

void add_count(CLI::App& fathom) {
  CLI::App* command =
      fathom.add_subcommand("count", "Run the kernels on the CPU and count their accesses and instructions");
  command->footer("Example: fathom count sort-pairwise -n 2^18 --input random --machine umm --threads 2^12");
  auto options = std::make_shared<Options>();
  command->add_option(
      "algorithm", options->algorithm,
      "As listed by fathom algorithms [default with --audit: all with a formula and kernels]");
  command
      ->add_option("-n,--sizes", options->sizes,
                   "Elements: 1000000, 1e6, 2^18; with --audit also 2^10..2^18:4")
      ->required();
  command->add_option("--input", options->input, "Input: " + input_names())->capture_default_str();
  add_problem_options(*command, options->problem,
                      "Value of a parameter: --set E=15; with --audit also E=15,17");
  add_device_option(*command, options->device);
  command->add_option(
      "--machine", options->machine,
      "Cost of the accesses on an abstract machine: dmm (shared memory), umm (global memory), agpu");
  command
      ->add_option("--width", options->width, "w banks of a DMM or UMM, b cores of an AGPU's multiprocessor")
      ->capture_default_str();
  command->add_option("--latency", options->latency, "l, time units of a DMM's or UMM's memory")
      ->capture_default_str();
  command->add_option("--threads", options->threads, "p, threads in a DMM or UMM, cores of an AGPU")
      ->capture_default_str();
  command->add_option("--memory", options->memory_words,
                      "M, shared words of an AGPU's multiprocessor [default: the device's]");
  command->add_flag("--audit", options->audit, "One table of the formulas' counts against the kernels'");
  command->add_option("--memory-limit", options->memory_limit,
                      "Limit on host memory, in bytes [default: the free memory]");
  add_output_options(*command, options->output);
  command->callback([options] {
    const Answer answer(options->output, profile_files(options->device));
    const auto reports = count_all(*options);
    answer([&] { return options->audit ? reports::text(reports) : reports::text(reports.front()); },
           [&] { return options->audit ? reports::json(reports) : reports::json(reports.front()); });
  });
}

}  // namespace fathom::cli
