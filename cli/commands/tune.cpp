#include <fathom/calls/predicting/prediction.h>
#include <fathom/calls/predicting/problem.h>
#include <fathom/calls/profiles.h>
#include <fathom/model/tune.h>
#include <fathom/reports/json/json.h>
#include <fathom/reports/text/text.h>

#include <algorithm>
#include <memory>

#include "arguments.h"
#include "commands.h"
#include "options.h"
#include "output.h"
#include "problem.h"
#include "terminal.h"

namespace fathom::cli {
namespace {

struct TuneOptions {
  std::string algorithm, n, device;
  ProblemOptions problem;
  calls::TuneOptions tune;
  std::string verify;  ///< how many choices to measure; empty: none
  calls::PredictionOptions prediction;
  Output output;
};

reports::TuneReport tune(const TuneOptions& options) {
  const Algorithm& algorithm = calls::algorithm_or_formula(options.algorithm);
  const Law law = calls::law_of(options.prediction, algorithm);
  const calls::Question question{
      .algorithm = &algorithm,
      .problem = problem_without_parameters(algorithm, parse_count(options.n), options.problem),
      .law = law,
      .input = calls::input_of(options.prediction, law.law),
      .what_if = options.prediction.what_if,
      .sensitivities = options.prediction.sensitivities,
  };
  const auto choices =
      every_choice(algorithm, parse_assignments(algorithm.slug, algorithm.parameters, options.problem.set));
  const auto verified =
      options.verify.empty() ? 0 : std::size_t(parse_whole("--verify", options.verify, {1, 1e6}));
  if (verified > 0) calls::check_verifiable(algorithm);
  const auto top = std::size_t(options.tune.top), listed = top == 0 ? 0 : std::max(top, verified);
  const calls::Listener listener = on_terminal();
  reports::TuneReport report = calls::tune(question, choices, listed, options.tune.exhaustive,
                                           calls::choose_profile(options.device, listener), listener);
  if (verified > 0) calls::verify(report, verified, options.tune.gpu, listener);
  return report;
}

}  // namespace

void add_tune(CLI::App& fathom) {
  CLI::App* command = fathom.add_subcommand("tune", "Parameters ranked by predicted time");
  command->footer("Example: fathom tune sort-pairwise -n 1e8 --device h200 --top 5");
  auto options = std::make_shared<TuneOptions>();
  command->add_option("algorithm", options->algorithm, algorithm_help)->required();
  command->add_option("-n", options->n, "Elements: 1000000, 1e6, 2^20")->required();
  add_problem_options(*command, options->problem,
                      "Restrict a parameter to a value, list or range: --set t=128,256");
  add_declared_options(*command, options->tune);
  command->add_flag(
      "--verify{5}", options->verify,
      "Measure the first choices on the GPU, five unless --verify=N says how many; the regret is "
      "relative to these");
  add_device_option(*command, options->device);
  add_declared_options(*command, options->prediction);
  add_output_options(*command, options->output);
  command->callback([options] {
    const Answer answer(options->output, calls::profile_files(options->device));
    const auto report = tune(*options);
    answer([&] { return reports::text(report); }, [&] { return reports::json(report); });
  });
}

}  // namespace fathom::cli
