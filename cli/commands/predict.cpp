#include <fathom/reports/json.h>
#include <fathom/reports/text.h>

#include <memory>

#include "arguments.h"
#include "commands.h"
#include "law_options.h"
#include "output.h"
#include "problem.h"
#include "profiles.h"

namespace fathom::cli {
namespace {

struct Options {
  std::string algorithm, n, device;
  ProblemOptions problem;
  LawOptions law;
  PredictionOptions prediction;
  Output output;
};

reports::PredictionReport predict(const Options& options) {
  const Law law = chosen_law(options.law);
  const Algorithm& algorithm = predictable_algorithm(options.algorithm, law.law);
  const Problem problem = one_problem(algorithm, parse_count(options.n), options.problem);
  const Input input = chosen_input(options.prediction, law.law);
  DeviceProfile profile = choose_profile(options.device);
  apply_what_if(options.prediction.what_if, profile);
  check_fits(algorithm, problem, profile.machine);
  Predictor predictor(profile, algorithm, law, work_lookup(profile));
  reports::PredictionReport report{.algorithm = algorithm.slug,
                                   .device = profile.name,
                                   .law = law.law,
                                   .problem = problem,
                                   .prediction = predictor.explained(problem, input),
                                   .input = input,
                                   .fitted_from = predictor.fitted_from(),
                                   .what_if = options.prediction.what_if};
  if (options.prediction.sensitivities) report.sensitivities = predictor.sensitivities(problem, input);
  return report;
}

}  // namespace

void add_predict(CLI::App& fathom) {
  CLI::App* command =
      fathom.add_subcommand("predict", "Predicted time of an algorithm, its terms and its bottleneck");
  command->footer("Example: fathom predict sort-pairwise -n 2^26 --device h200 --set E=15 --set t=256");
  auto options = std::make_shared<Options>();
  command->add_option("algorithm", options->algorithm, "As listed by fathom algorithms")->required();
  command->add_option("-n", options->n, "Elements: 1000000, 1e6, 2^20")->required();
  add_problem_options(*command, options->problem, "Value of a parameter: --set E=15; may be repeated");
  add_device_option(*command, options->device);
  add_law_options(*command, options->law);
  add_prediction_options(*command, options->prediction);
  add_output_options(*command, options->output);
  command->callback([options] {
    const Answer answer(options->output, profile_files(options->device));
    const auto report = predict(*options);
    answer([&] { return reports::text(report); }, [&] { return reports::json(report); });
  });
}

}  // namespace fathom::cli
