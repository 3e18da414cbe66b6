// SPDX-License-Identifier: Apache-2.0
// Time of one prediction, and of a ranking of all choices. The laws of counted work need the built-in table
// of sm_90.
#include "formulas.h"

#include <fathom/calibration/predictor.h>
#include <fathom/counting/work.h>
#include <fathom/model/laws/sensitivities.h>
#include <fathom/model/tune.h>
#include <fathom/store/work_table.h>

#include <benchmark/benchmark.h>

using namespace fathom;

namespace {

void predict_published(benchmark::State& state, const char* slug) {
  const Algorithm& predicted = algorithm(slug);
  const Machine<double> machine = tests::complete_machine();
  Problem problem = predicted.problem(1 << 26);
  for (auto _ : state) {
    benchmark::DoNotOptimize(problem.n += 1);
    benchmark::DoNotOptimize(predict(predicted, machine, problem, tests::published));
  }
}

constexpr int architecture = 90;

/// Absent without the table.
std::shared_ptr<const AlgorithmWork> built_in(const Descriptor& algorithm, const Instantiation& type,
                                              const Parameters& parameters, Input input) {
  auto work = built_in_work({algorithm.slug, type, parameters, input, architecture});
  return work ? std::make_shared<const AlgorithmWork>(*std::move(work)) : nullptr;
}

DeviceProfile complete_profile() {
  DeviceProfile profile;
  profile.name = "complete";
  profile.machine = tests::complete_machine();
  return profile;
}

enum class Part { plan, seconds, terms, bounds, sensitivities };

void predict_counted(benchmark::State& state, const char* slug, Part part) {
  const Algorithm& predicted = algorithm(slug);
  const Machine<double> machine = tests::complete_machine();
  Problem problem = predicted.problem(1 << 26);
  const auto work = built_in(predicted, problem.type, problem.parameters, Input::random);
  if (!work) return state.SkipWithError("there is no work table of sm_90");
  const CountedRun run(predicted, machine, problem, *work);
  for (auto _ : state) switch (part) {
      case Part::plan:
        benchmark::DoNotOptimize(problem.n += 1);
        benchmark::DoNotOptimize(CountedRun(predicted, machine, problem, *work));
        break;
      case Part::seconds:
        benchmark::DoNotOptimize(run.seconds(machine));
        break;
      case Part::terms:
        benchmark::DoNotOptimize(run.predicted(machine));
        break;
      case Part::bounds:
        benchmark::DoNotOptimize(run.explained(machine));
        break;
      case Part::sensitivities:
        benchmark::DoNotOptimize(
            sensitivities(machine, [&](const Machine<Dual>& dual) { return run.seconds(dual); }));
        break;
    }
}

/// As in an array of predictions over n: plan, time and interval, with the work at hand.
void predict_over_n(benchmark::State& state, const char* slug) {
  const Algorithm& predicted = algorithm(slug);
  const DeviceProfile profile = complete_profile();
  Problem problem = predicted.problem(1 << 26);
  if (!built_in(predicted, problem.type, problem.parameters, Input::random))
    return state.SkipWithError("there is no work table of sm_90");
  Predictor predictor(profile, predicted, Law{LawName::counted}, built_in);
  for (auto _ : state) {
    problem.n += 1;
    benchmark::DoNotOptimize(predictor(problem));
  }
  state.SetItemsProcessed(state.iterations());
}

/// With the work at hand, from the first ranking on.
void rank_counted(benchmark::State& state, const char* slug) {
  const Algorithm& ranked = algorithm(slug);
  const DeviceProfile profile = complete_profile();
  const Problem problem = ranked.problem(1e8);
  const std::vector<Parameters> choices = every_choice(ranked);
  for (const Parameters& choice : choices)
    if (!built_in(ranked, problem.type, choice, Input::random))
      return state.SkipWithError("there is no work table of sm_90");
  Predictor predictor(profile, ranked, Law{LawName::counted}, built_in);
  const auto rank = [&] {
    return rank_choices(ranked, problem, choices, [&](const Problem& one) { return predictor(one); });
  };
  rank();
  for (auto _ : state) benchmark::DoNotOptimize(rank());
  state.counters["choices"] = double(choices.size());
}

BENCHMARK_CAPTURE(predict_published, sort_pairwise, "sort-pairwise");
BENCHMARK_CAPTURE(predict_published, scan_interval, "scan-interval");
BENCHMARK_CAPTURE(predict_counted, sort_pairwise_plan, "sort-pairwise", Part::plan);
BENCHMARK_CAPTURE(predict_counted, sort_pairwise_seconds, "sort-pairwise", Part::seconds);
BENCHMARK_CAPTURE(predict_counted, sort_pairwise_terms, "sort-pairwise", Part::terms);
BENCHMARK_CAPTURE(predict_counted, sort_pairwise_bounds, "sort-pairwise", Part::bounds);
BENCHMARK_CAPTURE(predict_counted, sort_pairwise_sensitivities, "sort-pairwise", Part::sensitivities);
BENCHMARK_CAPTURE(predict_counted, scan_lookback_plan, "scan-lookback", Part::plan);
BENCHMARK_CAPTURE(predict_counted, scan_lookback_seconds, "scan-lookback", Part::seconds);
BENCHMARK_CAPTURE(predict_over_n, sort_pairwise, "sort-pairwise");
BENCHMARK_CAPTURE(predict_over_n, radix_onesweep, "radix-onesweep");
BENCHMARK_CAPTURE(predict_over_n, radix_msd, "radix-msd");
BENCHMARK_CAPTURE(predict_over_n, scan_lookback, "scan-lookback");
BENCHMARK_CAPTURE(rank_counted, sort_pairwise, "sort-pairwise")->Unit(benchmark::kMicrosecond);

}  // namespace

BENCHMARK_MAIN();
