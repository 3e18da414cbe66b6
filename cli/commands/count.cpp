// SPDX-License-Identifier: Apache-2.0
#include <fathom/calls/predicting/counting.h>
#include <fathom/calls/predicting/problem.h>
#include <fathom/calls/profiles.h>
#include <fathom/counting/count.h>
#include <fathom/reports/json/json.h>
#include <fathom/reports/text/text.h>
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "arguments.h"
#include "commands.h"
#include "options.h"
#include "output.h"
#include "terminal.h"

namespace fathom::cli {
namespace {

struct CountOptions {
  std::string algorithm, sizes;
  std::vector<std::string> set;
  calls::CountOptions count;
  bool audit = false;
  reports::Verbosity verbosity = reports::Verbosity::brief;
  Output output;
};

std::vector<const Algorithm*> chosen_algorithms(const CountOptions& options) {
  if (!options.algorithm.empty()) return {&calls::countable(calls::algorithm_or_formula(options.algorithm))};
  if (!options.audit)
    throw UsageError("no algorithm given: fathom algorithms lists them, and --audit counts all");
  std::vector<const Algorithm*> all;
  for (const Algorithm& one : algorithms())
    if (one.formula && one.plan) all.push_back(&one);
  return all;
}

std::vector<Case> count_cases(const CountOptions& options) {
  std::vector<Case> cases;
  for (const Algorithm* algorithm : chosen_algorithms(options))
    for (const double n : parse_sizes(options.sizes))
      for (const Parameters& parameters : parse_grid(algorithm->slug, algorithm->parameters, options.set))
        cases.push_back({.algorithm = algorithm,
                         .problem = calls::checked_problem(*algorithm, n, options.count.type,
                                                           options.count.stable, parameters),
                         .input = parse_input(options.count.input)});
  if (!options.audit && cases.size() > 1)
    throw UsageError("give one n and one value per parameter, or --audit for a table over several");
  return cases;
}

/// The cases with kernels that fit on the device, with a note on each other one. Throws BlockDoesNotFit if
/// none is left.
std::vector<Case> without_misfits(std::vector<Case> cases, const Machine<double>& machine,
                                  const CountOptions& options) {
  std::vector<Case> kept;
  for (const Case& one : cases) {
    check_interruption();
    try {
      calls::check_host_memory(one, machine, options.count.memory_limit);
      kept.push_back(one);
    } catch (const BlockDoesNotFit& misfit) {
      if (!options.audit || (kept.empty() && &one == &cases.back())) throw;
      note(fmt::format("{} is left out: {}", in_words(one), misfit.what()));
    }
  }
  return kept;
}

struct Counted {
  std::vector<reports::CountReport> reports;
  std::string interrupted;  ///< which cases are missing; empty: none
};

Counted count_all(const CountOptions& options) {
  const DeviceProfile profile = calls::choose_profile(options.count.device, on_terminal());
  const auto machines = calls::machines_of(options.count, profile.machine);
  const std::optional<int> architecture = calls::architecture_of(options.count);
  const auto cases = without_misfits(count_cases(options), profile.machine, options);
  const Progress progress = progress_on_terminal();
  Counted counted;
  for (const Case& one : cases) {
    const std::size_t done = counted.reports.size();
    const Progress within = [&](std::string_view kernel, std::size_t block, std::size_t blocks) {
      if (cases.size() == 1)
        progress(fmt::format("blocks of {}", kernel), block, blocks);
      else
        progress(fmt::format("{}: {}", in_words(one), kernel), done, cases.size());
    };
    try {
      counted.reports.push_back(calls::count_report(one, profile, machines, within, architecture));
    } catch (const Interrupted&) {
      if (counted.reports.empty()) throw;
      counted.interrupted = fmt::format(
          "interrupted: {} of {} counts are done, those from {} on are missing; the same "
          "command starts again",
          done, cases.size(), in_words(one));
      break;
    }
  }
  clear_progress();
  return counted;
}

}  // namespace

void add_count(CLI::App& fathom) {
  CLI::App* command =
      fathom.add_subcommand("count", "Run the kernels on the CPU and count their accesses and instructions");
  command->footer("Example: fathom count sort-pairwise -n 2^18 --input random --machine umm --threads 2^12");
  auto options = std::make_shared<CountOptions>();
  command->add_option(
      "algorithm", options->algorithm,
      "As listed by fathom algorithms [default with --audit: all with a formula and kernels]");
  command
      ->add_option("-n,--sizes", options->sizes,
                   "Elements: 1000000, 1e6, 1M, 2^18; with --audit also 2^10..2^18:4")
      ->required();
  command->add_option("--set", options->set, "Value of a parameter: --set E=15; with --audit also E=15,17")
      ->allow_extra_args(false);
  add_options(*command, declared(options->count));
  command->add_flag("--audit", options->audit, "One table of the formulas' counts against the kernels'");
  add_verbose_option(*command, options->verbosity, "Also every access, by source location");
  add_output_options(*command, options->output);
  command->callback([options] {
    const Answer answer(options->output, calls::inputs_of({}, {options->count.device}));
    const Counted counted = count_all(*options);
    const auto& reports = counted.reports;
    answer(
        [&] {
          return options->audit ? reports::text(reports) : reports::text(reports.front(), options->verbosity);
        },
        [&] { return options->audit ? reports::json(reports) : reports::json(reports.front()); });
    if (!counted.interrupted.empty()) throw Interrupted(counted.interrupted);
  });
}

}  // namespace fathom::cli
