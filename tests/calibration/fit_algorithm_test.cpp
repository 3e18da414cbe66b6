// SPDX-License-Identifier: Apache-2.0
// The factors of the law `fitted`, recovered from runs whose times are computed by hand.
#include <fathom/calibration/fit.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "counted_algorithm.h"

using namespace fathom;
using namespace fathom::synthetic;
using Catch::Matchers::Contains;

namespace {

constexpr Factors<double> truth{1.07, 0.9};

AlgorithmFit fit_to(const std::vector<Measurement>& runs, NotFitted* left_out = nullptr,
                    const WorkLookup& work = work_of) {
  return fit_algorithm(computation(), counted_profile(), runs, "synthetic", work, left_out);
}

/// Runs whose factors are `truth`, with noise of 1 %.
std::vector<Measurement> noisy_runs() {
  return synthetic_runs(truth, 0.01, 3);
}

void check_truth(const AlgorithmFit& fit) {
  CHECK(fit.factors.work.value == Approx(truth.work).epsilon(0.01));
  CHECK(fit.factors.waiting.value == Approx(truth.waiting).epsilon(0.01));
}

/// work_of, but an exception for u64; counts how often it is asked.
template <class Exception>
WorkLookup without_u64(int& asked) {
  return
      [&asked](const Descriptor& of, const Instantiation& type, const Parameters& parameters, Input input) {
        ++asked;
        if (type == ElementType::u64) throw Exception("not for u64");
        return work_of(of, type, parameters, input);
      };
}

std::vector<Measurement> for_fitting(std::vector<Measurement> runs) {
  std::erase_if(runs, [](const Measurement& run) { return !is_for_fitting(run); });
  return runs;
}

bool contains(const Estimate& estimate, double value) {
  return estimate.interval->low <= value && value <= estimate.interval->high;
}

}  // namespace

TEST_CASE("the law counted predicts the times computed by hand, and fitted those with the factors") {
  const Machine<double> machine = counted_profile().machine;
  for (int k = 14; k <= 26; k += 3)
    for (int E : {1, 7, 32})
      for (ElementType type : {ElementType::u32, ElementType::u64}) {
        const Problem problem = problem_of(std::ldexp(1, k), E, 128, type);
        const auto work = work_of(computation(), type, problem.parameters, Input::random);
        const CountedRun run(computation(), machine, problem, *work);
        CAPTURE(k, E, name(type));
        CHECK(run.seconds(machine) == Approx(seconds_of(problem)).epsilon(1e-9));
        CHECK(run.seconds(machine, truth) == Approx(seconds_of(problem, truth)).epsilon(1e-9));
      }
}

TEST_CASE("the factors of an algorithm are recovered from its runs of all types") {
  const AlgorithmFit fit = fit_to(noisy_runs());
  CHECK(fit.algorithm == "computation");
  CHECK(fit.dataset == "synthetic");
  CHECK(fit.runs == for_fitting(noisy_runs()).size());
  check_truth(fit);
  CHECK(contains(fit.factors.work, 1.07));
  CHECK(contains(fit.factors.waiting, 0.9));
  CHECK(fit.residual == Approx(0.01).epsilon(0.3));

  SECTION("their covariance is that of the logarithms") {
    const auto sigma = [](const Estimate& factor) {
      return std::log(factor.interval->high / factor.interval->low) / (2 * 1.96);
    };
    CHECK(std::sqrt(fit.covariance[0]) == Approx(sigma(fit.factors.work)));
    CHECK(std::sqrt(fit.covariance[3]) == Approx(sigma(fit.factors.waiting)));
    CHECK(fit.covariance[1] == Approx(fit.covariance[2]));
    CHECK(fit.covariance[1] < 0);  // more of the one means less of the other
  }
}

TEST_CASE("without errors of the law the factors are 1") {
  const AlgorithmFit fit = fit_to(synthetic_runs({}, 0, 1));
  CHECK(fit.factors.work.value == Approx(1).epsilon(1e-6));
  CHECK(fit.factors.waiting.value == Approx(1).epsilon(1e-6));
  CHECK(fit.residual < 1e-6);
}

TEST_CASE("types share the factors: each counts as much as it has runs") {
  std::vector<Measurement> runs = synthetic_runs({}, 0, 1);
  for (Measurement& run : runs)
    if (run.problem.type == ElementType::u64)
      run.seconds = {seconds_of(run.problem, {1.1, 1.1})};
    else
      run.seconds = {seconds_of(run.problem, {0.9, 0.9})};
  const AlgorithmFit fit = fit_to(runs);
  // Runs of u64 weigh somewhat more, since they have twice the work, but do not decide alone.
  CHECK(fit.factors.work.value > 0.95);
  CHECK(fit.factors.work.value < 1.07);
  CHECK(fit.residual > 0.05);
}

TEST_CASE("a few runs move the factors little: they are expected within 10 % of 1") {
  // Large n and small E: waves whose time is nearly all work, 20 % more of it than counted.
  std::vector<Measurement> few;
  for (const Measurement& run : for_fitting(synthetic_runs({1.2, 1}, 0, 1)))
    if (run.problem.n > 1e6 && run.problem.parameters.at("E") <= 2 && few.size() < 5) few.push_back(run);
  REQUIRE(few.size() == 5);
  const AlgorithmFit fit = fit_to(few);
  // Were the times all work: log f = 5/(5 + (0.05/0.1)²)·log 1.2.
  CHECK(fit.factors.work.value < 1.2);
  CHECK(fit.factors.work.value > 1.1);
  CHECK(fit.factors.waiting.value == Approx(1).margin(0.1));
  CHECK(contains(fit.factors.waiting, 0.9));
  CHECK(contains(fit.factors.waiting, 1.1));
  few.pop_back();
  CHECK_THROWS_WITH(fit_to(few), Contains("computation: 4 runs for fitting are too few, 5 are needed"));
}

TEST_CASE("a factor on which no run depends stays as uncertain as before") {
  // No kernel waits, so that no time depends on the second factor.
  const WorkLookup busy = [](const Descriptor& of, const Instantiation& type, const Parameters& parameters,
                             Input input) {
    AlgorithmWork work = *work_of(of, type, parameters, input);
    work.kernels[0].constant.issue_clocks = work.kernels[0].constant.global_waits = 0;
    return std::make_shared<const AlgorithmWork>(work);
  };
  const AlgorithmFit fit = fit_to(synthetic_runs({1.07, 0}, 0.01, 3), nullptr, busy);
  CHECK(fit.factors.work.value == Approx(1.07).epsilon(0.01));
  CHECK(fit.factors.waiting.value == Approx(1));
  CHECK(std::sqrt(fit.covariance[3]) == Approx(prior_sigma).epsilon(1e-3));
}

TEST_CASE("the residual is the error on sizes and parameter sets that were excluded") {
  // Every size is slow or fast by a factor that no law predicts, but that runs of the same size share.
  std::vector<Measurement> runs = synthetic_runs({}, 0.001, 3);
  std::mt19937_64 random(5);
  std::map<double, double> of_size;
  for (Measurement& run : runs) {
    const double shift = std::normal_distribution<double>(0, 0.05)(random);
    run.seconds[0] *= std::exp(of_size.try_emplace(run.problem.n, shift).first->second);
  }
  CHECK(fit_to(runs).residual > 0.03);

  SECTION("runs of one size and one parameter set are excluded one by one") {
    std::vector<Measurement> repeats;
    for (int i = 0; i < 8; ++i)
      repeats.push_back(for_fitting(synthetic_runs({}, 0.05, std::uint64_t(i))).front());
    CHECK(fit_to(repeats).residual > 0.01);
  }
}

TEST_CASE("a fit depends neither on runs for validation nor on the order of parameters") {
  const std::vector<Measurement> runs = noisy_runs();
  std::vector<Measurement> spoilt = runs, reordered = runs;
  for (Measurement& run : spoilt)
    if (!is_for_fitting(run)) run.seconds = {1e3};
  for (std::size_t i = 0; i < runs.size(); i += 2) {
    const Parameters& given = runs[i].problem.parameters;
    reordered[i].problem.parameters = {{"t", given.at("t")}, {"E", given.at("E")}};
  }
  const AlgorithmFit before = fit_to(runs);
  for (const AlgorithmFit& after : {fit_to(spoilt), fit_to(reordered)}) {
    CHECK(after.factors.work.value == before.factors.work.value);
    CHECK(after.residual == before.residual);
    CHECK(after.runs == before.runs);
  }
}

TEST_CASE("of many runs a part is fitted that covers types, sizes and parameters, the same in any order") {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> exponent(14, 28);
  std::normal_distribution<double> log_error(0, 0.01);
  std::vector<Measurement> runs;
  for (int i = 0; i < 4000; ++i) {
    const double n = std::floor(std::exp2(exponent(random)));
    const Problem problem = problem_of(n, 1 + int(random() % 32), 64 << (random() % 4),
                                       i % 2 == 0 ? ElementType::u32 : ElementType::u64);
    runs.push_back(run_of(problem, seconds_of(problem, truth) * std::exp(log_error(random))));
  }
  const std::size_t usable = for_fitting(runs).size();
  REQUIRE(usable > 2 * most_fitted_runs);

  NotFitted left_out;
  const AlgorithmFit fit = fit_to(runs, &left_out);
  CHECK(fit.runs == most_fitted_runs);
  CHECK(left_out.beyond_most == usable - most_fitted_runs);
  check_truth(fit);

  std::shuffle(runs.begin(), runs.end(), random);
  const AlgorithmFit again = fit_to(runs);
  CHECK(again.factors.work.value == Approx(fit.factors.work.value).epsilon(1e-12));
  CHECK(again.runs == fit.runs);
}

TEST_CASE("runs that a fit does not use are counted by reason") {
  std::vector<Measurement> runs = for_fitting(noisy_runs());
  const std::size_t all = runs.size();
  runs[0].input = Input::sorted;
  runs[0].checked = false;
  runs[1].checked = runs[2].checked = false;
  runs[2].clock_moved = runs[3].clock_moved = true;
  runs[4].problem.value_type = ElementType::u32;
  runs[5].problem.parameters = {{"E", 4}};  // t is missing
  runs[6].algorithm = "another";
  NotFitted left_out;
  CHECK(fit_to(runs, &left_out).runs == all - 7);
  CHECK(left_out.other_input == 1);
  CHECK(left_out.unchecked == 2);
  CHECK(left_out.clock_moved == 1);
  CHECK(left_out.without_work == 0);
  CHECK(left_out.not_predicted == 2);
  CHECK(left_out.beyond_most == 0);
}

TEST_CASE("runs whose blocks do not fit or whose work is not available are left out, and asked for once") {
  const std::vector<Measurement> runs = for_fitting(noisy_runs());
  std::set<std::pair<ElementType, std::map<std::string, int>>> choices;
  std::size_t wide = 0;
  for (const Measurement& run : runs) {
    choices.insert({run.problem.type, {run.problem.parameters.begin(), run.problem.parameters.end()}});
    wide += run.problem.type == ElementType::u64;
  }
  int asked = 0, asked_again = 0;
  NotFitted too_large, unavailable;
  const AlgorithmFit fit = fit_to(runs, &unavailable, without_u64<WorkUnavailable>(asked));
  CHECK(asked == int(choices.size()));
  CHECK(unavailable.without_work == wide);
  CHECK(fit.runs + wide == runs.size());
  CHECK(fit.factors.work.value == Approx(1.07).epsilon(0.01));
  CHECK(fit_to(runs, &too_large, without_u64<BlockTooLarge>(asked_again)).runs == fit.runs);
  CHECK(too_large.without_work == 0);
  CHECK(too_large.not_predicted == wide);
}

TEST_CASE("an algorithm or a profile that cannot be fitted is named, with the way out") {
  const std::vector<Measurement> runs = noisy_runs();
  Descriptor formula_only = computation();
  formula_only.plan = {};
  CHECK_THROWS_WITH(fit_algorithm(formula_only, counted_profile(), runs, "", work_of),
                    Contains("computation has no kernels"));
  DeviceProfile without_rates = counted_profile();
  without_rates.machine.rates = {};
  CHECK_THROWS_AS(fit_algorithm(computation(), without_rates, runs, "", work_of), MissingConstant);
  CHECK_THROWS_WITH(fit_algorithm(computation(), without_rates, runs, "", work_of),
                    Contains("run fathom calibrate"));
}

TEST_CASE("a fit can be cancelled") {
  const Progress cancel = [](std::string_view, std::size_t, std::size_t) {
    throw std::runtime_error("stop");
  };
  CHECK_THROWS_WITH(
      fit_algorithm(computation(), counted_profile(), noisy_runs(), "", work_of, nullptr, cancel), "stop");
}
