// SPDX-License-Identifier: Apache-2.0
#include <fathom/calls/predicting/problem.h>
#include <fathom/calls/profiles.h>
#include <fathom/calls/tuning/contenders.h>
#include <fathom/calls/tuning/tuning.h>
#include <fathom/model/tune.h>
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

struct TuneOptions {
  std::string algorithm, n;
  std::vector<std::string> set;
  std::string gpus;
  calls::TuneOptions tune;
  Output output;
};

calls::Entrant entrant(const Descriptor& algorithm, const TuneOptions& options) {
  const Problem problem =
      calls::checked_problem(algorithm, parse_count(options.n), options.tune.type, options.tune.stable, {});
  return {
      calls::question(algorithm, problem, options.tune),
      calls::usual_choices(algorithm, parse_assignments(algorithm.slug, algorithm.parameters, options.set))};
}

void answer_question(const Answer& answer, TuneOptions options) {
  const auto names = parse_list("algorithm", {options.algorithm});
  if (!calls::are_compared(names)) {
    const Descriptor& algorithm = descriptor(calls::any_algorithm(names.front()));
    set_gpus(algorithm, options.gpus, options.set);
    const auto report = calls::tune(entrant(algorithm, options), options.tune, on_terminal());
    return answer([&] { return reports::text(report); }, [&] { return reports::json(report); });
  }
  if (!options.gpus.empty()) throw UsageError("--gpus: choose one algorithm");
  if (options.tune.sensitivities) throw UsageError("--sensitivities: choose one algorithm");
  calls::Contenders asked = calls::contenders(names, options.tune.type, options.tune.stable, options.tune);
  const auto entrants = calls::entrants(asked, [&](const Algorithm& one) { return entrant(one, options); });
  const auto ranking = calls::tune(entrants, std::move(asked.left_out), options.tune, on_terminal());
  answer([&] { return reports::text(ranking); }, [&] { return reports::json(ranking); });
}

}  // namespace

void add_tune(CLI::App& fathom) {
  CLI::App* command = fathom.add_subcommand("tune", "Parameters, and algorithms, ranked by predicted time");
  command->footer(
      "Examples: fathom tune sort-pairwise -n 1e8 --device h200 --top 5\n"
      "          fathom tune sort -n 1e8 --type u64 --device h200\n"
      "          fathom tune sort-gpus -n 2^30 --type u64 --device my-gpus.json");
  auto options = std::make_shared<TuneOptions>();
  command->add_option("algorithm-or-kind", options->algorithm, algorithms_help)->required();
  command->add_option("-n", options->n, "Elements: 1000000, 1e6, 1M, 2^20")->required();
  command
      ->add_option("--set", options->set, "Restrict a parameter to a value, list or range: --set t=128,256")
      ->allow_extra_args(false);
  add_gpus_option(*command, options->gpus, "[default: 1,2,4,8; with data in host memory, one]");
  add_options(*command, declared(options->tune));
  add_output_options(*command, options->output);
  command->callback([options] {
    const Answer answer(options->output, calls::inputs_of({}, {options->tune.device}));
    answer_question(answer, *options);
  });
}

}  // namespace fathom::cli
