#include "copy_algorithm.h"

#include <fathom/calibration/fit.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>

using namespace fathom;
using namespace fathom::synthetic;

namespace {

const KeyAndValue u32_keys{ElementType::u32, {}};

AlgorithmFit fit_copy(const std::vector<Measurement>& runs) {
  return fit_algorithm(copy_algorithm(), u32_keys, machine_profile().machine, runs, "synthetic");
}

Problem small_problem() {
  return copy_algorithm().problem(1 << 20);
}

Prediction predict_copy(const DeviceProfile& profile, const Problem& problem, const Law& law = {}) {
  return predict_with_interval(profile, copy_algorithm(), problem, law);
}

ResolvedLaw resolve_copy(const DeviceProfile& profile, const Problem& problem, const Law& law = {}) {
  return resolve(profile, copy_algorithm(), problem, law);
}

}  // namespace

TEST_CASE("the law predicts the times computed by hand") {
  const Law law{.composition = Composition{true_q}};
  for (int k = 14; k <= 28; k += 2)
    for (int E : {1, 7, 32})
      for (int t : {64, 512}) {
        Problem problem = copy_algorithm().problem(std::ldexp(1, k));
        problem.parameters = {{"E", E}, {"t", t}};
        CAPTURE(k, E, t);
        CHECK(predicted_seconds<double>(copy_algorithm(), machine_profile().machine, problem, law,
                                        {true_work, true_beta}) ==
              Approx(copy_seconds(problem.n, E, t)).epsilon(1e-6));
      }
}

TEST_CASE("an algorithm's constants are recovered from its runs") {
  const AlgorithmFit fit = fit_copy(synthetic_runs(0.01, 3));
  // Less precisely than the times: q and the two constants trade off against each other, and the prior pulls
  // them towards their default values, 2 and 10.
  CHECK(fit.find("beta")->value == Approx(true_beta).epsilon(0.2));
  CHECK(fit.find("work")->value == Approx(true_work).epsilon(0.2));
  CHECK(fit.find("gamma") == nullptr);
  CHECK(fit.q == Approx(true_q).epsilon(0.2));
  const auto holds = [&](const char* constant, double truth) {
    const Interval& interval = fit.find(constant)->interval.value();
    return interval.low <= truth && truth <= interval.high;
  };
  CHECK(holds("beta", true_beta));
  CHECK(holds("work", true_work));
  CHECK(fit.residual == Approx(0.01).epsilon(0.3));
  CHECK(fit.runs > 20);
  CHECK(fit.type == "u32");

  SECTION("constants are listed by name in any order of the formula, with the rows of the covariance") {
    REQUIRE(fit.constants.size() == 2);
    CHECK(fit.constants[0].first == "beta");
    CHECK(fit.constants[1].first == "work");
    REQUIRE(fit.covariance.size() == 4);
    const auto sigma = [&](std::size_t i) {
      const Interval& interval = fit.constants[i].second.interval.value();
      return (interval.high - interval.low) / (2 * 1.96);
    };
    CHECK(std::sqrt(fit.covariance[0]) == Approx(sigma(0)).epsilon(0.05));
    CHECK(std::sqrt(fit.covariance[3]) == Approx(sigma(1)).epsilon(0.05));
    CHECK(fit.covariance[1] == Approx(fit.covariance[2]));
  }
}

TEST_CASE("constants fitted to exact times predict other sizes and parameters to 2 %") {
  DeviceProfile profile = machine_profile();
  profile.algorithms = {fit_copy(synthetic_runs(0, 1))};
  for (double n : {3e5, 7e6, 1e9})
    for (int E : {5, 15, 31}) {
      Problem problem = copy_algorithm().problem(n);
      problem.parameters = {{"E", E}, {"t", 128}};
      CAPTURE(n, E);
      CHECK(predict_copy(profile, problem).time_s == Approx(copy_seconds(n, E, 128)).epsilon(0.02));
    }
}

TEST_CASE("the residual is the error on sizes and parameter sets that were excluded") {
  // Every size is slow or fast by a factor that no law predicts, but that runs of the same size share.
  std::vector<Measurement> runs = synthetic_runs(0.001, 3);
  std::mt19937_64 random(5);
  std::map<double, double> of_size;
  for (Measurement& run : runs) {
    const double shift = std::normal_distribution<double>(0, 0.05)(random);
    run.seconds[0] *= std::exp(of_size.try_emplace(run.problem.n, shift).first->second);
  }
  CHECK(fit_copy(runs).residual > 0.03);

  SECTION("runs of one size and one parameter set are excluded one by one") {
    std::vector<Measurement> repeats;
    for (int i = 0; i < 8; ++i)
      for (const Measurement& run : synthetic_runs(0.05, std::uint64_t(i)))
        if (is_for_fitting(run) && repeats.size() == std::size_t(i)) repeats.push_back(run);
    REQUIRE(repeats.size() == 8);
    CHECK(fit_copy(repeats).residual > 0.01);
  }
}

TEST_CASE("fits use no run that is for validation") {
  std::vector<Measurement> runs = synthetic_runs(0.01, 3);
  const AlgorithmFit before = fit_copy(runs);
  for (Measurement& run : runs)
    if (!is_for_fitting(run)) run.seconds = {1e3};
  const AlgorithmFit after = fit_copy(runs);
  CHECK(after.find("beta")->value == before.find("beta")->value);
  CHECK(after.residual == before.residual);
  CHECK(after.runs == before.runs);
}

TEST_CASE("a fit does not depend on the order in which runs list their parameters") {
  std::vector<Measurement> runs = synthetic_runs(0.01, 3);
  const AlgorithmFit before = fit_copy(runs);
  for (std::size_t i = 0; i < runs.size(); i += 2) {
    const Parameters given = runs[i].problem.parameters;
    runs[i].problem.parameters = {{"t", given.at("t")}, {"E", given.at("E")}};
  }
  const AlgorithmFit after = fit_copy(runs);
  CHECK(after.find("work")->value == before.find("work")->value);
  CHECK(after.residual == before.residual);
}

TEST_CASE("runs that are unreliable or too few are not fitted") {
  const std::vector<Measurement> good = synthetic_runs(0.01, 3);
  const auto fails_after = [&](auto spoil) {
    std::vector<Measurement> runs = good;
    for (Measurement& run : runs) spoil(run);
    CHECK_THROWS_WITH(fit_copy(runs), Catch::Contains("0 runs for fitting are too few"));
  };
  fails_after([](Measurement& run) { run.checked = false; });
  fails_after([](Measurement& run) { run.clock_moved = true; });
  fails_after([](Measurement& run) { run.input = Input::sorted; });
  fails_after([](Measurement& run) { run.problem.type = ElementType::u64; });
  fails_after([](Measurement& run) { run.problem.value_type = ElementType::u32; });
  fails_after([](Measurement& run) { run.problem.parameters = {{"E", 4}}; });  // t is missing

  const Machine<double> machine = machine_profile().machine;
  CHECK_THROWS_WITH(fit_algorithm(copy_algorithm(), {ElementType::u32, ElementType::u64}, machine, good, ""),
                    Catch::Contains("copy u32:u64: 0 runs"));
  Descriptor baseline = copy_algorithm();
  baseline.formula.reset();
  CHECK_THROWS_WITH(fit_algorithm(baseline, u32_keys, machine, good, ""), Catch::Contains("no formula"));
}

TEST_CASE("without a fit there is no interval") {
  const DeviceProfile profile = machine_profile();
  CHECK_FALSE(predict_copy(profile, small_problem()).interval_s);
  CHECK_FALSE(resolve_copy(profile, small_problem()).fitted);
  CHECK(resolve_copy(profile, small_problem()).constants == ConstantValues<double>{10, 2});
  Descriptor baseline = copy_algorithm();
  baseline.formula.reset();
  CHECK_THROWS_WITH(resolve(profile, baseline, small_problem(), {}), Catch::Contains("no formula"));
}

TEST_CASE("a fit gives constants and composition, unless the law names another composition") {
  DeviceProfile profile = machine_profile();
  AlgorithmFit fit;
  fit.algorithm = "copy";
  fit.type = "u32";
  fit.constants = {{"beta", {3, {}}}, {"work", {20, {}}}};
  fit.q = 4;
  profile.algorithms = {fit};
  const Problem problem = small_problem();

  const ResolvedLaw fitted = resolve_copy(profile, problem);
  CHECK(fitted.fitted);
  CHECK(fitted.constants == ConstantValues<double>{20, 3});
  CHECK(fitted.law.q() == 4);
  const ResolvedLaw chosen = resolve_copy(profile, problem, {.composition = Composition::sum()});
  CHECK(chosen.fitted);
  CHECK(chosen.constants == fitted.constants);
  CHECK(chosen.law.q() == 1);
  CHECK(predict_copy(profile, problem, {.composition = Composition::sum()}).time_s >
        predict_copy(profile, problem).time_s);
  const ResolvedLaw published = resolve_copy(profile, problem, {.law = LawName::published});
  CHECK_FALSE(published.fitted);
  CHECK(published.law.q() == 1);

  SECTION("for types of the same size") {
    const auto is_fitted = [&](ElementType key, std::optional<ElementType> value = {}) {
      Problem other = problem;
      other.type = key;
      other.value_type = value;
      return resolve_copy(profile, other).fitted;
    };
    CHECK(is_fitted(ElementType::f32));
    CHECK_FALSE(is_fitted(ElementType::u64));
    CHECK_FALSE(is_fitted(ElementType::u32, ElementType::u32));
    profile.algorithms[0].type = "u32:u64";
    CHECK_FALSE(is_fitted(ElementType::u32));
    CHECK_FALSE(is_fitted(ElementType::u64, ElementType::u32));
    CHECK(is_fitted(ElementType::i32, ElementType::f64));
  }
  SECTION("but not if a constant is missing") {
    profile.algorithms[0].constants = {{"beta", {3, {}}}};
    CHECK_THROWS_WITH(resolve_copy(profile, problem),
                      "profile 'synthetic': the fit of copy u32 has no constant 'work': fit it again");
  }
}

TEST_CASE("an interval's width follows from the covariance by name") {
  DeviceProfile profile = machine_profile();
  profile.estimates.clear();  // nothing from the machine
  AlgorithmFit fit;
  fit.algorithm = "copy";
  fit.type = "u32";
  fit.q = true_q;
  const double n = 1 << 24, h = 1e-5;
  const Problem problem = copy_algorithm().problem(n);
  const auto log_seconds = [&](double beta, double work) {
    return std::log(copy_seconds(n, 4, 256, beta, work));
  };
  const double by_beta = (log_seconds(5 + h, 25) - log_seconds(5 - h, 25)) / (2 * h);
  const double by_work = (log_seconds(5, 25 + h) - log_seconds(5, 25 - h)) / (2 * h);
  const double variance = by_beta * by_beta * 0.04 + 2 * by_beta * by_work * 0.05 + by_work * by_work * 0.25;
  const auto log_width = [&] {
    profile.algorithms = {fit};
    const Interval interval = predict_copy(profile, problem).interval_s.value();
    return std::log(interval.high / interval.low) / 2;
  };
  fit.constants = {{"beta", {5, {}}}, {"work", {25, {}}}};
  fit.covariance = {0.04, 0.05, 0.05, 0.25};
  CHECK(log_width() == Approx(1.96 * std::sqrt(variance)).epsilon(1e-4));
  fit.constants = {{"work", {25, {}}}, {"beta", {5, {}}}};
  fit.covariance = {0.25, 0.05, 0.05, 0.04};
  CHECK(log_width() == Approx(1.96 * std::sqrt(variance)).epsilon(1e-4));
  fit.constants = {{"gone", {1, {}}}, {"work", {25, {}}}, {"beta", {5, {}}}};
  fit.covariance = {9, 9, 9, 9, 0.25, 0.05, 9, 0.05, 0.04};  // of a constant that the formula no longer has
  CHECK(log_width() == Approx(1.96 * std::sqrt(variance)).epsilon(1e-4));
}

TEST_CASE("of many runs a part is fitted that covers sizes and parameters, the same in any order") {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> exponent(14, 28);
  std::normal_distribution<double> log_error(0, 0.01);
  std::vector<Measurement> runs;
  for (int i = 0; i < 4000; ++i) {
    const double n = std::floor(std::exp2(exponent(random)));
    const int E = 1 + int(random() % 32), t = 64 << (random() % 4);
    runs.push_back(copy_run(n, E, t, copy_seconds(n, E, t) * std::exp(log_error(random))));
  }
  const auto for_fitting = std::size_t(std::count_if(runs.begin(), runs.end(), is_for_fitting));
  const std::size_t most = fitted_runs_per_parameter * 3;
  REQUIRE(for_fitting > 2 * most);

  NotFitted left_out;
  const Machine<double> machine = machine_profile().machine;
  const AlgorithmFit fit = fit_algorithm(copy_algorithm(), u32_keys, machine, runs, "", &left_out);
  CHECK(fit.runs == most);
  CHECK(left_out.beyond_most == for_fitting - most);
  CHECK(fit.find("beta")->value == Approx(true_beta).epsilon(0.2));
  CHECK(fit.find("work")->value == Approx(true_work).epsilon(0.2));
  CHECK(fit.residual == Approx(0.01).epsilon(0.3));

  std::shuffle(runs.begin(), runs.end(), random);
  const AlgorithmFit again = fit_algorithm(copy_algorithm(), u32_keys, machine, runs, "");
  CHECK(again.find("beta")->value == fit.find("beta")->value);
  CHECK(again.residual == fit.residual);
}

TEST_CASE("runs that a fit does not use are counted by reason") {
  std::vector<Measurement> runs = synthetic_runs(0.01, 3);
  std::erase_if(runs, [](const Measurement& run) { return !is_for_fitting(run); });
  const std::size_t all = runs.size();
  runs[0].input = Input::sorted;
  runs[0].checked = false;
  runs[1].checked = runs[2].checked = false;
  runs[2].clock_moved = runs[3].clock_moved = true;
  NotFitted left_out;
  const AlgorithmFit fit =
      fit_algorithm(copy_algorithm(), u32_keys, machine_profile().machine, runs, "", &left_out);
  CHECK(fit.runs == all - 4);
  CHECK(left_out.other_input == 1);
  CHECK(left_out.unchecked == 2);
  CHECK(left_out.clock_moved == 1);
  CHECK(left_out.not_predicted == 0);
  CHECK(left_out.beyond_most == 0);
}

TEST_CASE("a fit can be cancelled") {
  const Progress cancel = [](std::string_view, std::size_t, std::size_t) {
    throw std::runtime_error("stop");
  };
  CHECK_THROWS_WITH(fit_algorithm(copy_algorithm(), u32_keys, machine_profile().machine,
                                  synthetic_runs(0.01, 3), "", nullptr, cancel),
                    "stop");
}

TEST_CASE("a fit on a machine that gives no finite time is refused") {
  Machine<double> machine = machine_profile().machine;
  machine.at(Level::registers).bandwidth = 0;
  CHECK_THROWS_AS(fit_algorithm(copy_algorithm(), u32_keys, machine, synthetic_runs(0.01, 3), ""),
                  std::invalid_argument);
}

TEST_CASE("constants too uncertain for an interval give none") {
  DeviceProfile profile = machine_profile();
  profile.algorithms = {fit_copy(synthetic_runs(0.01, 3))};
  AlgorithmFit& fit = profile.algorithms.front();
  const Prediction good = predict_copy(profile, small_problem());
  REQUIRE(good.interval_s);
  CHECK(good.interval_s->low < good.time_s);

  SECTION("a huge covariance") {
    fit.covariance = {1e200, 0, 0, 1e200};
  }
  SECTION("a huge residual") {
    fit.residual = 1e160;
  }
  SECTION("a wide interval of a machine's constant") {
    profile.estimates.at("global.bandwidth").interval = Interval{0, 1e300};
  }
  const Prediction uncertain = predict_copy(profile, small_problem());
  CHECK_FALSE(uncertain.interval_s);
  CHECK(uncertain.time_s == good.time_s);
}

TEST_CASE("a covariance that rounding made slightly indefinite adds nothing to an interval") {
  DeviceProfile profile = machine_profile();
  profile.algorithms = {fit_copy(synthetic_runs(0.01, 3))};
  AlgorithmFit& fit = profile.algorithms.front();
  fit.covariance = {-1e-30, 0, 0, -1e-30};
  const Prediction indefinite = predict_copy(profile, small_problem());
  fit.covariance = {};
  CHECK(indefinite.interval_s->high == predict_copy(profile, small_problem()).interval_s->high);
}
