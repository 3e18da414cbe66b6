// SPDX-License-Identifier: Apache-2.0
#include <fathom/calls/predicting/contenders.h>
#include <fathom/calls/predicting/prediction.h>
#include <fathom/calls/predicting/problem.h>
#include <fathom/calls/predicting/tuning.h>
#include <fathom/calls/profiles.h>
#include <fathom/reports/json/json.h>
#include <fathom/reports/text/text.h>

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
  calls::SweepOptions sweep;
  reports::Verbosity verbosity = reports::Verbosity::brief;
  Output output;
};

/// Every problem asked about.
std::vector<Problem> problems(const Algorithm& algorithm, const PredictOptions& options) {
  const std::vector<double> sizes = parse_sizes(options.n);
  const auto grid = parse_grid(algorithm.slug, algorithm.parameters, options.set);
  std::vector<Problem> all;
  for (const std::string& type : options.sweep.type)
    for (const Parameters& parameters : grid)
      for (const double n : sizes)
        all.push_back(calls::checked_problem(algorithm, n, type, options.sweep.stable, parameters));
  return all;
}

/// The fastest of several algorithms for one problem.
void answer_comparison(const Answer& answer, const std::vector<std::string>& names,
                       const PredictOptions& options) {
  const calls::SweepOptions& asked = options.sweep;
  if (asked.sensitivities) throw UsageError("--sensitivities: choose one algorithm");
  if (asked.type.size() > 1 || asked.device.size() > 1)
    throw UsageError("several algorithms are compared for one n, type and device: choose one");
  calls::Contenders contenders = calls::contenders(names, asked.type.front(), asked.stable, asked);
  std::vector<calls::Entrant> entrants;
  for (const Algorithm* algorithm : contenders.algorithms) {
    const std::vector<Problem> all = problems(*algorithm, options);
    if (all.size() > 1)
      throw UsageError("several algorithms are compared for one n and one value of a parameter: choose one");
    entrants.push_back({calls::question(*algorithm, all.front(), asked), {all.front().parameters}});
  }
  const calls::Listener listener = on_terminal();
  const DeviceProfile profile =
      calls::choose_profile(asked.device.empty() ? "" : asked.device.front(), listener);
  const auto ranking = calls::predict(entrants, std::move(contenders.left_out), profile, listener);
  answer([&] { return reports::text(ranking); }, [&] { return reports::json(ranking); });
}

void answer_question(const Answer& answer, const PredictOptions& options) {
  const auto names = parse_list("algorithm", {options.algorithm});
  if (calls::are_compared(names)) return answer_comparison(answer, names, options);
  const Algorithm& algorithm = calls::algorithm_or_formula(names.front());
  const std::vector<Problem> asked = problems(algorithm, options);
  const calls::Question question = calls::question(algorithm, asked.front(), options.sweep);
  const calls::Listener listener = on_terminal();
  std::vector<DeviceProfile> profiles;
  for (const std::string& device : options.sweep.device)
    profiles.push_back(calls::choose_profile(device, listener));
  if (profiles.empty()) profiles.push_back(calls::choose_profile("", listener));

  if (profiles.size() == 1 && asked.size() == 1) {
    const auto report = calls::predict(question, profiles.front(), listener);
    return answer([&] { return reports::text(report, options.verbosity); },
                  [&] { return reports::json(report); });
  }
  if (question.sensitivities)
    throw UsageError("--sensitivities: choose one n, type, parameter set and device");
  const auto sweep = calls::sweep(question, asked, profiles, listener);
  answer([&] { return reports::text(sweep); }, [&] { return reports::json(sweep); });
}

}  // namespace

void add_predict(CLI::App& fathom) {
  CLI::App* command = fathom.add_subcommand(
      "predict", "Predicted time of an algorithm, its terms and its bottleneck, or several ranked");
  command->footer(
      "Examples: fathom predict sort-pairwise -n 2^26 --device h200 --set E=15 --set t=256\n"
      "          fathom predict sort-kway -n 2^16..2^28:4 --type u32,u64 --device h200,my-gpu.json\n"
      "          fathom predict radix-msd,sort-kway -n 1e8 --device h200\n"
      "          fathom predict sort -n 1e8 --type u64 --device h200");
  auto options = std::make_shared<PredictOptions>();
  command->add_option("algorithm-or-kind", options->algorithm, algorithms_help)->required();
  command->add_option("-n", options->n, "Elements: 1000000, 1e6, 2^20, or several: 1e6,2^16..2^28:4")
      ->required();
  command
      ->add_option("--set", options->set, "Values of a parameter: --set E=15, --set E=11,15; may be repeated")
      ->allow_extra_args(false);
  add_options(*command, declared(options->sweep));
  add_verbose_option(*command, options->verbosity, "Also the time of each resource and phase");
  add_output_options(*command, options->output);
  command->callback([options] {
    answer_question(Answer(options->output, calls::inputs_of({}, options->sweep.device)), *options);
  });
}

}  // namespace fathom::cli
