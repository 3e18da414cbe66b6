#include <fathom/algorithms/bench.h>
#include <fathom/reports/json.h>
#include <fathom/reports/text.h>
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "arguments.h"
#include "commands.h"
#include "law_options.h"
#include "output.h"
#include "problem.h"
#include "profiles.h"
#include "terminal.h"

namespace fathom::cli {
namespace {

struct Options {
  std::string algorithm, n, device, type = "u32";
  std::vector<std::string> set;
  std::size_t top = 10;
  bool verify = false;
  int gpu = 0;
  LawOptions law;
  Output output;
};

/// Every value allowed of every parameter that --set leaves open.
std::vector<Parameters> candidates(const Formula& formula, const std::vector<std::string>& set) {
  std::vector<std::string> assignments = set;
  for (const ParameterInfo& info : formula.parameters)
    if (std::ranges::none_of(set, [&](const auto& text) { return assigned_parameter(text) == info.name; }))
      assignments.push_back(fmt::format("{}={}..{}", info.name, info.values.front(), info.values.back()));
  return parse_grid(formula.slug, formula.parameters, assignments);
}

/// The parameter choices that the machine can run, fastest first.
std::vector<reports::TuneCandidate> ranked(const Formula& formula, const DeviceProfile& profile,
                                           const Law& law, Problem problem,
                                           const std::vector<Parameters>& choices) {
  const ResolvedLaw resolved = resolve(profile, formula, problem.type, law);
  std::vector<reports::TuneCandidate> ranking;
  std::string misfit;
  for (const Parameters& parameters : choices) {
    problem.parameters = parameters;
    try {
      ranking.push_back(
          {.parameters = parameters,
           .prediction = fathom::predict(formula, profile.machine, problem, resolved.law, resolved.constants),
           .measured_s = std::nullopt});
    } catch (const std::invalid_argument& error) {  // a block that no multiprocessor holds is no candidate
      misfit = error.what();
    }
  }
  if (ranking.empty()) throw std::runtime_error("no choice of parameters can run: " + misfit);
  std::ranges::stable_sort(ranking, {}, [](const auto& candidate) { return candidate.prediction.time_s; });
  return ranking;
}

void measure(reports::TuneReport& report, const Algorithm& algorithm, const Problem& problem, int gpu) {
  CudaExecutor executor(gpu);
  std::vector<BenchCase> cases;
  for (const auto& candidate : report.candidates) {
    cases.push_back({.algorithm = &algorithm, .problem = problem});
    cases.back().problem.parameters = candidate.parameters;
  }
  const Progress progress = progress_on_terminal();
  warm_cache(executor, cases, progress);
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < cases.size(); ++i) {
    progress("measuring", i, cases.size());
    report.candidates[i].measured_s = quartiles(bench(executor, cases[i]).seconds).median;
    best = std::min(best, *report.candidates[i].measured_s);
  }
  progress("measured", cases.size(), cases.size());
  report.regret = *report.candidates.front().measured_s / best - 1;
}

reports::TuneReport tune(const Options& options) {
  const Formula& formula = formula_named(options.algorithm);
  const Algorithm& algorithm = fathom::algorithm(options.algorithm);
  const Problem problem{
      .n = parse_count(options.n), .type = parse_element_type(options.type), .parameters = {}};
  const auto choices = candidates(formula, options.set);
  if (options.verify && !algorithm.make_driver)
    throw UsageError(fmt::format("{} has no kernel to verify with: leave --verify away", algorithm.slug));
  DeviceProfile profile = choose_profile(options.device);
  const Law law = chosen_law(options.law, profile);
  check_fits(algorithm, {problem.n, problem.type, choices.front()}, profile.machine);

  reports::TuneReport report{.algorithm = formula.slug,
                             .device = profile.name,
                             .law = law.law,
                             .n = problem.n,
                             .type = problem.type,
                             .candidates = ranked(formula, profile, law, problem, choices),
                             .regret = std::nullopt};
  if (options.top > 0 && report.candidates.size() > options.top)
    report.candidates.erase(report.candidates.begin() + std::ptrdiff_t(options.top), report.candidates.end());
  if (options.verify) measure(report, algorithm, problem, options.gpu);
  return report;
}

}  // namespace

void add_tune(CLI::App& fathom) {
  CLI::App* command = fathom.add_subcommand("tune", "Parameters ranked by predicted time");
  command->footer("Example: fathom tune sort-pairwise -n 1e8 --device h200 --top 5");
  auto options = std::make_shared<Options>();
  command->add_option("algorithm", options->algorithm, "As listed by fathom algorithms")->required();
  command->add_option("-n", options->n, "Elements: 1000000, 1e6, 2^20")->required();
  command->add_option("--type", options->type, "Element type: u32, u64, f32, f64")->capture_default_str();
  command->add_option("--set", options->set, "Keep a parameter to a value, list or range: --set t=128,256")
      ->allow_extra_args(false);
  command->add_option("--top", options->top, "How many to list, 0 for all")->capture_default_str();
  command->add_flag("--verify", options->verify,
                    "Measure those listed on the GPU; the regret is that among them (--top 0: among all)");
  command->add_option("--gpu", options->gpu, "GPU to verify on, numbered from 0")->capture_default_str();
  add_device_option(*command, options->device);
  add_law_options(*command, options->law);
  add_output_options(*command, options->output);
  command->callback([options] {
    catch_interrupts();
    const auto report = tune(*options);
    answer(
        options->output, [&] { return reports::text(report); }, [&] { return reports::json(report); });
  });
}

}  // namespace fathom::cli
