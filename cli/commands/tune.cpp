// SPDX-License-Identifier: Apache-2.0
#include <fathom/calls/predicting/problem.h>
#include <fathom/calls/predicting/tuning.h>
#include <fathom/calls/profiles.h>
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
  calls::TuneOptions tune;
  Output output;
};

reports::TuneReport tune(const TuneOptions& options) {
  const Algorithm& algorithm = calls::algorithm_or_formula(options.algorithm);
  const Problem problem = calls::checked_problem(algorithm, parse_count(options.n), options.tune.type,
                                                 options.tune.stable, algorithm.default_parameters());
  const auto choices =
      every_choice(algorithm, parse_assignments(algorithm.slug, algorithm.parameters, options.set));
  return calls::tune({calls::question(algorithm, problem, options.tune), choices}, options.tune,
                     on_terminal());
}

}  // namespace

void add_tune(CLI::App& fathom) {
  CLI::App* command = fathom.add_subcommand("tune", "Parameters ranked by predicted time");
  command->footer("Example: fathom tune sort-pairwise -n 1e8 --device h200 --top 5");
  auto options = std::make_shared<TuneOptions>();
  command->add_option("algorithm", options->algorithm, algorithm_help)->required();
  command->add_option("-n", options->n, "Elements: 1000000, 1e6, 2^20")->required();
  command
      ->add_option("--set", options->set, "Restrict a parameter to a value, list or range: --set t=128,256")
      ->allow_extra_args(false);
  add_options(*command, declared(options->tune));
  add_output_options(*command, options->output);
  command->callback([options] {
    const Answer answer(options->output, calls::inputs_of({}, {options->tune.device}));
    const auto report = tune(*options);
    answer([&] { return reports::text(report); }, [&] { return reports::json(report); });
  });
}

}  // namespace fathom::cli
