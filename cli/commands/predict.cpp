// SPDX-License-Identifier: Apache-2.0
#include <fathom/calls/launches/launches.h>
#include <fathom/calls/launches/machine_code.h>
#include <fathom/calls/predicting/prediction.h>
#include <fathom/calls/predicting/problem.h>
#include <fathom/calls/profiles.h>
#include <fathom/calls/tuning/contenders.h>
#include <fathom/calls/tuning/tuning.h>
#include <fathom/reports/json/bmf.h>
#include <fathom/reports/json/json.h>
#include <fathom/reports/machine_code.h>
#include <fathom/reports/text/text.h>
#include <fathom/store/launches/launch_report.h>
#include <fmt/format.h>

#include <CLI/Error.hpp>
#include <algorithm>
#include <memory>

#include "arguments.h"
#include "commands.h"
#include "options.h"
#include "output.h"
#include "terminal.h"

namespace fathom::cli {
namespace {

struct PredictOptions {
  std::string algorithm, n;
  std::vector<std::string> set;
  std::string gpus;
  calls::SweepOptions sweep;
  calls::LaunchesOptions launches;
  calls::MachineCodeOptions machine_code;
  reports::Verbosity verbosity = reports::Verbosity::brief;
  bool bmf = false;  ///< JSON of this format
  Output output;
};

/// Every problem asked about.
std::vector<Problem> problems(const Descriptor& algorithm, const PredictOptions& options) {
  const std::vector<double> sizes = parse_sizes(options.n);
  const auto grid = parse_grid(algorithm.slug, algorithm.parameters, options.set);
  std::vector<Problem> all;
  for (const std::string& type : options.sweep.type)
    for (const Parameters& parameters : grid)
      for (const double n : sizes)
        all.push_back(calls::checked_problem(algorithm, n, type, options.sweep.stable, parameters));
  return all;
}

std::vector<DeviceProfile> profiles(const PredictOptions& options, const calls::Listener& listener) {
  std::vector<DeviceProfile> profiles;
  for (const std::string& device : options.sweep.device)
    profiles.push_back(calls::choose_profile(device, listener));
  if (profiles.empty()) profiles.push_back(calls::choose_profile("", listener));
  return profiles;
}

/// The fastest of several algorithms for one problem.
void answer_comparison(const Answer& answer, const std::vector<std::string>& names,
                       const PredictOptions& options) {
  const calls::SweepOptions& asked = options.sweep;
  if (options.bmf) throw UsageError("--bmf: choose one algorithm");
  if (asked.sensitivities) throw UsageError("--sensitivities: choose one algorithm");
  if (asked.type.size() > 1 || asked.device.size() > 1)
    throw UsageError("several algorithms are compared for one n, type and device: choose one");
  calls::Contenders contenders = calls::contenders(names, asked.type.front(), asked.stable, asked);
  const auto entrants = calls::entrants(contenders, [&](const Algorithm& algorithm) -> calls::Entrant {
    const std::vector<Problem> all = problems(algorithm, options);
    if (all.size() > 1)
      throw UsageError("several algorithms are compared for one n and one value of a parameter: choose one");
    return {calls::question(algorithm, all.front(), asked), {all.front().parameters}};
  });
  const calls::Listener listener = on_terminal();
  const auto ranking =
      calls::predict(entrants, std::move(contenders.left_out), profiles(options, listener).front(), listener);
  answer([&] { return reports::text(ranking); }, [&] { return reports::json(ranking); });
}

/// Throws UsageError for an option given that is none of what is asked about.
void refuse(const CLI::App& command, const calls::Declarations& options, std::string_view why,
            const std::vector<std::string_view>& but = {}) {
  for (const calls::Declaration& option : options) {
    const std::string name = as_typed(fmt::format("`{}`", option.name));
    if (std::ranges::count(but, option.name) == 0 && command.get_option(name)->count() > 0)
      throw UsageError(fmt::format("{}: omit it, {}", name, why));
  }
}

/// Throws UsageError for what can only be asked of algorithms.
void refuse_problem(const CLI::App& command, PredictOptions& options, const char* of, const char* why) {
  if (!options.n.empty()) throw UsageError(fmt::format("-n: omit it, {}", why));
  if (!options.set.empty()) throw UsageError(fmt::format("--set: omit it, {}", why));
  if (!options.gpus.empty()) throw UsageError(fmt::format("--gpus: omit it, {}", why));
  refuse(command, declared(options.sweep), why, {"device", "what_if", "sensitivities"});
  if (options.sweep.device.size() > 1) throw UsageError(fmt::format("--device: choose one for {}", of));
  if (options.bmf) throw UsageError(fmt::format("--bmf: choose --json for {}", of));
}

void answer_about_launches(const CLI::App& command, const Answer& answer, PredictOptions options) {
  refuse_problem(command, options, "launches of a report", "launches of a report are what they were");
  refuse(command, declared(options.machine_code), "launches of a report are what they were");
  const calls::Listener listener = on_terminal();
  options.launches.what_if = options.sweep.what_if;
  options.launches.sensitivities = options.sweep.sensitivities;
  const auto predicted = calls::predict_launches(options.algorithm, options.launches,
                                                 profiles(options, listener).front(), listener);
  answer([&] { return reports::text(predicted, options.verbosity); },
         [&] { return reports::json(predicted); });
}

void answer_about_machine_code(const CLI::App& command, const Answer& answer, PredictOptions options) {
  refuse_problem(command, options, "a cubin", "machine code is of one kernel");
  refuse(command, declared(options.launches), "machine code was not measured", {"caches"});
  calls::MachineCodeOptions& asked = options.machine_code;
  asked.caches = options.launches.caches;
  asked.what_if = options.sweep.what_if;
  asked.sensitivities = options.sweep.sensitivities;
  const auto predicted =
      calls::predict_machine_code(options.algorithm, asked, profiles(options, on_terminal()).front());
  answer([&] { return reports::text(predicted, options.verbosity); },
         [&] { return reports::json(predicted); });
}

void answer_question(const CLI::App& command, const Answer& answer, PredictOptions options) {
  for (const char* ending : {".csv", ".ncu-rep"})
    if (options.algorithm.ends_with(ending))
      throw UsageError(
          fmt::format("{0} is not predicted itself: make a file with its launches, fathom import {0} -o "
                      "mine.work, and predict that",
                      options.algorithm));
  if (options.n.empty()) throw CLI::RequiredError("-n");
  refuse(command, declared(options.launches), "it is of launches that fathom import wrote");
  refuse(command, declared(options.machine_code), "it is of cubins");
  const auto names = parse_list("algorithm", {options.algorithm});
  if (calls::are_compared(names)) {
    if (!options.gpus.empty()) throw UsageError("--gpus: choose one algorithm");
    return answer_comparison(answer, names, options);
  }
  const Descriptor& algorithm = descriptor(calls::any_algorithm(names.front()));
  set_gpus(algorithm, options.gpus, options.set);
  const std::vector<Problem> asked = problems(algorithm, options);
  const calls::Question question = calls::question(algorithm, asked.front(), options.sweep);
  const calls::Listener listener = on_terminal();
  const std::vector<DeviceProfile> devices = profiles(options, listener);

  if (devices.size() == 1 && asked.size() == 1) {
    const auto report = calls::predict(question, devices.front(), listener);
    return answer([&] { return reports::text(report, options.verbosity); },
                  [&] { return options.bmf ? reports::bmf(report) : reports::json(report); });
  }
  if (question.sensitivities)
    throw UsageError("--sensitivities: choose one n, type, parameter set and device");
  const auto sweep = calls::sweep(question, asked, devices, listener);
  answer([&] { return reports::text(sweep); },
         [&] { return options.bmf ? reports::bmf(sweep) : reports::json(sweep); });
}

}  // namespace

void add_predict(CLI::App& fathom) {
  CLI::App* command = fathom.add_subcommand(
      "predict", "Predicted time of an algorithm, its terms and its bottleneck, or several ranked");
  command->footer(
      "Examples: fathom predict sort-pairwise -n 2^26 --device h200 --set E=15 --set t=256\n"
      "          fathom predict sort-kway -n 2^16..2^28:4 --type u32,u64 --device h200,my-gpu.json\n"
      "          fathom predict radix-msd,sort-kway -n 1e8 --device h200\n"
      "          fathom predict sort -n 1e8 --type u64 --device h200\n"
      "          fathom predict sort-gpus -n 2^29 --type u64 --gpus 2 --device my-gpus.json\n"
      "          fathom predict mine.work --device h200\n"
      "          fathom predict kernel.cubin --kernel scale --grid 1024 --block 256 --device h200");
  auto options = std::make_shared<PredictOptions>();
  command
      ->add_option("algorithm-or-kind", options->algorithm,
                   fmt::format("{}; or a file that fathom import wrote, or a .cubin", algorithms_help))
      ->required();
  command->add_option(
      "-n", options->n,
      "Elements: 1000000, 1e6, 1M, 2^20, or several: 1e6,2^16..2^28:4; required of algorithms");
  command
      ->add_option("--set", options->set, "Values of a parameter: --set E=15, --set E=11,15; may be repeated")
      ->allow_extra_args(false);
  add_gpus_option(*command, options->gpus, "[default: 2; with data in host memory, one]");
  add_options(*command, declared(options->sweep));
  add_options(*command, declared(options->launches));
  add_options(*command, declared(options->machine_code));
  add_verbose_option(*command, options->verbosity, "Also the time of each resource and phase");
  add_output_options(*command, options->output);
  command->add_flag("--bmf", options->bmf, "Print JSON for bencher run --adapter json")->excludes("--json");
  command->callback([command, options] {
    options->output.json |= options->bmf;
    const auto answer_with = [&](const std::vector<std::filesystem::path>& files) {
      return Answer(options->output, calls::inputs_of(files, options->sweep.device));
    };
    if (is_launch_report(options->algorithm))
      answer_about_launches(*command, answer_with({options->algorithm}), *options);
    else if (calls::is_machine_code(options->algorithm))
      answer_about_machine_code(*command, answer_with({options->algorithm}), *options);
    else
      answer_question(*command, answer_with({}), *options);
  });
}

}  // namespace fathom::cli
