#include <fathom/reports/json.h>
#include <fathom/reports/text.h>

#include <memory>

#include "arguments.h"
#include "commands.h"
#include "law_options.h"
#include "options.h"
#include "output.h"
#include "problem.h"
#include "profiles.h"
#include "terminal.h"

namespace fathom::cli {
namespace {

struct Options {
  std::string algorithm, n;
  std::vector<std::string> devices;
  ProblemOptions problem;
  LawOptions law;
  PredictionOptions prediction;
  reports::Verbosity verbosity = reports::Verbosity::brief;
  Output output;
};

/// What is to be predicted: every problem on every device.
struct Question {
  const Algorithm& algorithm;
  Law law;
  Input input;
  std::vector<std::string> devices;
  std::vector<Problem> problems;

  bool is_single() const { return devices.size() == 1 && problems.size() == 1; }
};

Question question_of(const Options& options) {
  const Algorithm& algorithm = algorithm_or_formula(options.algorithm);
  const Law law = chosen_law(options.law, algorithm);
  Question question{.algorithm = algorithm,
                    .law = law,
                    .input = chosen_input(options.prediction, law.law),
                    .devices = options.devices,
                    .problems = {}};
  if (question.devices.empty()) question.devices = {""};  // the default
  const std::vector<double> sizes = parse_sizes(options.n);
  for (const Problem& problem : problem_grid(algorithm, sizes.front(), options.problem))
    for (const double n : sizes) {
      question.problems.push_back(problem);
      question.problems.back().n = n;
      algorithm.check(question.problems.back());
    }
  if (options.prediction.sensitivities && !question.is_single())
    throw UsageError("--sensitivities: choose one n, type, parameter set and device");
  return question;
}

DeviceProfile profile_of(const std::string& device, const Options& options) {
  DeviceProfile profile = choose_profile(device);
  apply_what_if(options.prediction.what_if, profile);
  return profile;
}

reports::PredictionReport predict(const Question& question, const Options& options) {
  const DeviceProfile profile = profile_of(question.devices.front(), options);
  const Problem& problem = question.problems.front();
  check_fits(question.algorithm, problem, profile.machine);
  Predictor predictor(profile, question.algorithm, question.law, work_lookup(profile));
  reports::PredictionReport report{.algorithm = question.algorithm.slug,
                                   .device = profile.name,
                                   .law = question.law.law,
                                   .problem = problem,
                                   .prediction = predictor.explained(problem, question.input),
                                   .input = question.input,
                                   .fitted_from = predictor.fitted_from(),
                                   .what_if = options.prediction.what_if};
  if (options.prediction.sensitivities)
    report.sensitivities = predictor.sensitivities(problem, question.input);
  return report;
}

/// Predictions on one device. Where one cannot be had, the others still can.
class DevicePredictions {
 public:
  DevicePredictions(const Question& question, DeviceProfile profile)
      : question_(question), profile_(std::move(profile)) {}

  reports::SweepPoint operator()(const Problem& problem) try {
    check_fits(question_.algorithm, problem, profile_.machine);
    if (!predictor_) predictor_.emplace(profile_, question_.algorithm, question_.law, work_lookup(profile_));
    return {.device = profile_.name,
            .problem = problem,
            .prediction = predictor_->explained(problem, question_.input)};
  } catch (const Interrupted&) {
    throw;
  } catch (const std::runtime_error& reason) {  // too large for the device; a constant or work is missing
    return {.device = profile_.name, .problem = problem, .why = reason.what()};
  } catch (const std::invalid_argument& reason) {  // a block does not fit
    return {.device = profile_.name, .problem = problem, .why = reason.what()};
  }

 private:
  const Question& question_;
  DeviceProfile profile_;
  std::optional<Predictor> predictor_;  ///< absent until a prediction is asked for: it needs constants
};

reports::PredictionSweep sweep(const Question& question, const Options& options) {
  reports::PredictionSweep sweep{.algorithm = question.algorithm.slug,
                                 .law = question.law.law,
                                 .input = question.input,
                                 .what_if = options.prediction.what_if};
  const Progress progress = progress_on_terminal();
  const std::size_t count = question.devices.size() * question.problems.size();
  for (const std::string& device : question.devices) {
    DevicePredictions predicted(question, profile_of(device, options));
    for (const Problem& problem : question.problems) {
      progress("predicting", sweep.points.size(), count);
      sweep.points.push_back(predicted(problem));
    }
  }
  progress("predicted", count, count);
  return sweep;
}

std::vector<std::filesystem::path> profile_files_of(const std::vector<std::string>& devices) {
  std::vector<std::filesystem::path> files;
  for (const std::string& device : devices)
    for (const auto& file : profile_files(device)) files.push_back(file);
  return files;
}

}  // namespace

void add_predict(CLI::App& fathom) {
  CLI::App* command =
      fathom.add_subcommand("predict", "Predicted time of an algorithm, its terms and its bottleneck");
  command->footer(
      "Examples: fathom predict sort-pairwise -n 2^26 --device h200 --set E=15 --set t=256\n"
      "          fathom predict sort-kway -n 2^16..2^28:4 --type u32,u64 --device h200,my-gpu.json");
  auto options = std::make_shared<Options>();
  command->add_option("algorithm", options->algorithm, algorithm_help)->required();
  command->add_option("-n", options->n, "Elements: 1000000, 1e6, 2^20, or several: 1e6,2^16..2^28:4")
      ->required();
  add_problem_grid_options(*command, options->problem,
                           "Values of a parameter: --set E=15, --set E=11,15; may be repeated");
  add_list_option(*command, "--device", options->devices,
                  "Profiles, separated by commas: built-in names or paths [default: of the GPU present, else "
                  "h200]");
  add_law_options(*command, options->law);
  add_prediction_options(*command, options->prediction);
  add_verbose_option(*command, options->verbosity, "Also the time of each resource and phase");
  add_output_options(*command, options->output);
  command->callback([options] {
    const Answer answer(options->output, profile_files_of(options->devices));
    const Question question = question_of(*options);
    if (question.is_single()) {
      const auto report = predict(question, *options);
      answer([&] { return reports::text(report, options->verbosity); },
             [&] { return reports::json(report); });
    } else {
      const auto report = sweep(question, *options);
      answer([&] { return reports::text(report); }, [&] { return reports::json(report); });
    }
  });
}

}  // namespace fathom::cli
