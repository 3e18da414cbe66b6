#include <fathom/algorithms/bench.h>
#include <fathom/calibration/fit.h>
#include <fathom/model/tune.h>
#include <fathom/reports/json.h>
#include <fathom/reports/text.h>
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "arguments.h"
#include "commands.h"
#include "gpu.h"
#include "law_options.h"
#include "options.h"
#include "output.h"
#include "problem.h"
#include "profiles.h"
#include "terminal.h"

namespace fathom::cli {
namespace {

struct Options {
  std::string algorithm, n, device;
  ProblemOptions problem;
  std::size_t top = 10;
  std::string verify;  ///< how many choices to measure; empty: none
  int gpu = 0;
  LawOptions law;
  PredictionOptions prediction;
  Output output;
};

/// Measures the first candidates of the report.
void verify(reports::TuneReport& report, std::size_t first, const Algorithm& algorithm, int gpu) {
  CudaExecutor executor = open_gpu(gpu);
  std::vector<BenchCase> cases;
  for (std::size_t i = 0; i < std::min(first, report.candidates.size()); ++i) {
    cases.push_back({.algorithm = &algorithm, .problem = report.problem, .input = report.input});
    cases.back().problem.parameters = report.candidates[i].parameters;
  }
  const Progress progress = progress_on_terminal();
  warm_cache(executor, cases, progress);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const Progress within = [&](auto&&...) { progress("measuring", i, cases.size()); };
    report.candidates[i].measured_s = quartiles(bench(executor, cases[i], 11, within).seconds).median;
  }
  progress("measured", cases.size(), cases.size());
  report.regret = *report.candidates.front().measured_s / *report.fastest_measured()->measured_s - 1;
}

reports::TuneReport tune(const Options& options) {
  const Algorithm& algorithm = algorithm_or_formula(options.algorithm);
  const Law law = chosen_law(options.law, algorithm);
  const Problem problem = problem_without_parameters(algorithm, parse_count(options.n), options.problem);
  const auto choices =
      every_choice(algorithm, parse_assignments(algorithm.slug, algorithm.parameters, options.problem.set));
  const auto verified =
      options.verify.empty() ? 0 : std::size_t(parse_whole("--verify", options.verify, {1, 1e6}));
  if (verified > 0 && !algorithm.make_workload)
    throw UsageError(fmt::format("{} has no kernel to verify with: omit --verify", algorithm.slug));
  const Input input = chosen_input(options.prediction, law.law);
  DeviceProfile profile = choose_profile(options.device);
  apply_what_if(options.prediction.what_if, profile);
  check_fits(algorithm, problem, profile.machine);

  Predictor predictor(profile, algorithm, law, work_lookup(profile));
  auto ranking =
      rank_choices(algorithm, problem, choices, [&](const Problem& one) { return predictor(one, input); });
  reports::TuneReport report{.algorithm = algorithm.slug,
                             .device = profile.name,
                             .law = law.law,
                             .problem = problem,
                             .input = input,
                             .fitted_from = predictor.fitted_from(),
                             .what_if = options.prediction.what_if};
  if (uses_work(law.law)) report.tied = tied_choices(ranking);
  const std::size_t listed = options.top == 0 ? ranking.size() : std::max(options.top, verified);
  if (ranking.size() > listed) ranking.resize(listed);
  for (RankedChoice& choice : ranking) {
    Problem one = problem;
    one.parameters = std::move(choice.parameters);
    report.candidates.push_back({one.parameters, predictor.explained(one, input), std::nullopt});
    if (options.prediction.sensitivities && !report.sensitivities)
      report.sensitivities = predictor.sensitivities(one, input);
  }
  if (verified > 0) verify(report, verified, algorithm, options.gpu);
  return report;
}

}  // namespace

void add_tune(CLI::App& fathom) {
  CLI::App* command = fathom.add_subcommand("tune", "Parameters ranked by predicted time");
  command->footer("Example: fathom tune sort-pairwise -n 1e8 --device h200 --top 5");
  auto options = std::make_shared<Options>();
  command->add_option("algorithm", options->algorithm, algorithm_help)->required();
  command->add_option("-n", options->n, "Elements: 1000000, 1e6, 2^20")->required();
  add_problem_options(*command, options->problem,
                      "Restrict a parameter to a value, list or range: --set t=128,256");
  add_whole_option(*command, "--top", options->top, {0, 1e6}, "How many to list, 0 for all");
  command->add_flag(
      "--verify{5}", options->verify,
      "Measure the first choices on the GPU, five unless --verify=N says how many; the regret is "
      "relative to these");
  add_whole_option(*command, "--gpu", options->gpu, gpu_indices, "GPU to verify on, numbered from 0");
  add_device_option(*command, options->device);
  add_law_options(*command, options->law);
  add_prediction_options(*command, options->prediction);
  add_output_options(*command, options->output);
  command->callback([options] {
    const Answer answer(options->output, profile_files(options->device));
    const auto report = tune(*options);
    answer([&] { return reports::text(report); }, [&] { return reports::json(report); });
  });
}

}  // namespace fathom::cli
