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
  bool verify = false;
  int gpu = 0;
  LawOptions law;
  Output output;
};

/// Measures every candidate of the report.
void verify(reports::TuneReport& report, const Algorithm& algorithm, int gpu) {
  CudaExecutor executor = open_gpu(gpu);
  std::vector<BenchCase> cases;
  for (const auto& candidate : report.candidates) {
    cases.push_back({.algorithm = &algorithm, .problem = report.problem});
    cases.back().problem.parameters = candidate.parameters;
  }
  const Progress progress = progress_on_terminal();
  warm_cache(executor, cases, progress);
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const Progress within = [&](auto&&...) { progress("measuring", i, cases.size()); };
    report.candidates[i].measured_s = quartiles(bench(executor, cases[i], 11, within).seconds).median;
    best = std::min(best, *report.candidates[i].measured_s);
  }
  progress("measured", cases.size(), cases.size());
  report.regret = *report.candidates.front().measured_s / best - 1;
}

reports::TuneReport tune(const Options& options) {
  const Law law = chosen_law(options.law);
  const Algorithm& algorithm = predictable_algorithm(options.algorithm, law.law);
  const Problem problem = problem_without_parameters(algorithm, parse_count(options.n), options.problem);
  const auto choices =
      every_choice(algorithm, parse_assignments(algorithm.slug, algorithm.parameters, options.problem.set));
  if (options.verify && !algorithm.make_workload)
    throw UsageError(fmt::format("{} has no kernel to verify with: omit --verify", algorithm.slug));
  const DeviceProfile profile = choose_profile(options.device);
  check_fits(algorithm, problem, profile.machine);

  reports::TuneReport report{.algorithm = algorithm.slug,
                             .device = profile.name,
                             .law = law.law,
                             .problem = problem,
                             .candidates = {},
                             .regret = std::nullopt};
  Predictor predictor(profile, algorithm, problem, law, work_lookup(profile));
  auto ranking =
      rank_choices(algorithm, problem, choices, [&](const Problem& one) { return predictor(one); });
  if (options.top > 0 && ranking.size() > options.top)
    ranking.erase(ranking.begin() + std::ptrdiff_t(options.top), ranking.end());
  for (RankedChoice& choice : ranking)
    report.candidates.push_back({std::move(choice.parameters), std::move(choice.prediction), std::nullopt});
  if (options.verify) verify(report, algorithm, options.gpu);
  return report;
}

}  // namespace

void add_tune(CLI::App& fathom) {
  CLI::App* command = fathom.add_subcommand("tune", "Parameters ranked by predicted time");
  command->footer("Example: fathom tune sort-pairwise -n 1e8 --device h200 --top 5");
  auto options = std::make_shared<Options>();
  command->add_option("algorithm", options->algorithm, "As listed by fathom algorithms")->required();
  command->add_option("-n", options->n, "Elements: 1000000, 1e6, 2^20")->required();
  add_problem_options(*command, options->problem,
                      "Restrict a parameter to a value, list or range: --set t=128,256");
  add_whole_option(*command, "--top", options->top, {0, 1e6}, "How many to list, 0 for all");
  command->add_flag(
      "--verify", options->verify,
      "Measure the listed choices on the GPU; the regret is relative to these (--top 0: to all)");
  add_whole_option(*command, "--gpu", options->gpu, gpu_indices, "GPU to verify on, numbered from 0");
  add_device_option(*command, options->device);
  add_law_options(*command, options->law);
  add_output_options(*command, options->output);
  command->callback([options] {
    const Answer answer(options->output, profile_files(options->device));
    const auto report = tune(*options);
    answer([&] { return reports::text(report); }, [&] { return reports::json(report); });
  });
}

}  // namespace fathom::cli
