#include <fathom/calls/predicting/prediction.h>
#include <fathom/calls/predicting/problem.h>
#include <fathom/calls/profiles.h>
#include <fathom/reports/json/json.h>
#include <fathom/reports/text/text.h>

#include <memory>

#include "arguments.h"
#include "commands.h"
#include "options.h"
#include "output.h"
#include "problem.h"
#include "terminal.h"

namespace fathom::cli {
namespace {

struct PredictOptions {
  std::string algorithm, n;
  std::vector<std::string> devices;
  ProblemOptions problem;
  calls::PredictionOptions prediction;
  reports::Verbosity verbosity = reports::Verbosity::brief;
  Output output;
};

/// Every problem asked about.
std::vector<Problem> problems(const Algorithm& algorithm, const PredictOptions& options) {
  const std::vector<double> sizes = parse_sizes(options.n);
  std::vector<Problem> all;
  for (const Problem& problem : problem_grid(algorithm, sizes.front(), options.problem))
    for (const double n : sizes) {
      all.push_back(problem);
      all.back().n = n;
      algorithm.check(all.back());
    }
  return all;
}

void answer_question(const Answer& answer, const PredictOptions& options) {
  const Algorithm& algorithm = calls::algorithm_or_formula(options.algorithm);
  const Law law = calls::law_of(options.prediction, algorithm);
  const std::vector<Problem> asked = problems(algorithm, options);
  const calls::Question question{.algorithm = &algorithm,
                                 .problem = asked.front(),
                                 .law = law,
                                 .input = calls::input_of(options.prediction, law.law),
                                 .what_if = options.prediction.what_if,
                                 .sensitivities = options.prediction.sensitivities};
  const calls::Listener listener = on_terminal();
  std::vector<DeviceProfile> profiles;
  for (const std::string& device : options.devices)
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

std::vector<std::filesystem::path> profile_files(const std::vector<std::string>& devices) {
  std::vector<std::filesystem::path> files;
  for (const std::string& device : devices)
    for (const auto& file : calls::profile_files(device)) files.push_back(file);
  return files;
}

}  // namespace

void add_predict(CLI::App& fathom) {
  CLI::App* command =
      fathom.add_subcommand("predict", "Predicted time of an algorithm, its terms and its bottleneck");
  command->footer(
      "Examples: fathom predict sort-pairwise -n 2^26 --device h200 --set E=15 --set t=256\n"
      "          fathom predict sort-kway -n 2^16..2^28:4 --type u32,u64 --device h200,my-gpu.json");
  auto options = std::make_shared<PredictOptions>();
  command->add_option("algorithm", options->algorithm, algorithm_help)->required();
  command->add_option("-n", options->n, "Elements: 1000000, 1e6, 2^20, or several: 1e6,2^16..2^28:4")
      ->required();
  add_problem_grid_options(*command, options->problem,
                           "Values of a parameter: --set E=15, --set E=11,15; may be repeated");
  add_list_option(*command, "--device", options->devices,
                  "Profiles, separated by commas: built-in names or paths [default: of the GPU present, else "
                  "h200]");
  add_declared_options(*command, options->prediction);
  add_verbose_option(*command, options->verbosity, "Also the time of each resource and phase");
  add_output_options(*command, options->output);
  command->callback(
      [options] { answer_question(Answer(options->output, profile_files(options->devices)), *options); });
}

}  // namespace fathom::cli
