#include "synthetic.h"

#include <fathom/calibration/compare.h>
#include <fathom/calibration/fit.h>

#include <catch2/catch.hpp>
#include <set>

using namespace fathom;
using namespace fathom::synthetic;

namespace {

/// One phase that reads and writes n words and makes `work` register operations of each, conflicts of degree
/// `beta`.
const Formula& copy_formula() {
  static const Formula formula = [] {
    Formula f;
    f.slug = "copy";
    f.family = "test";
    std::vector<int> E;
    for (int value = 1; value <= 32; ++value) E.push_back(value);
    f.parameters = {{"E", "elements per thread", E, 4}, {"t", "threads per block", {64, 128, 256, 512}, 256}};
    f.constants = {{"beta", "conflict degree", 2, 1, 32}, {"work", "operations per word", 10, 1, 200}};
    return with_phases(std::move(f), []<class Real>(const Machine<Real>&, const Problem& problem,
                                                    const ConstantValues<Real>& c, LawName) {
      const int E = problem.parameters.at("E");
      Phase<Real> phase;
      phase.name = "copy";
      phase.threads_per_block = problem.parameters.at("t");
      phase.blocks = std::ceil(problem.n / E / phase.threads_per_block);
      phase.footprint_bytes = 8 * problem.n;
      phase.accesses = {{Level::global, Real(2 * problem.n), Real(1), Real(E)},
                        {Level::shared, Real(2 * problem.n), c[0], Real(E)},
                        {Level::registers, Real(problem.n * c[1]), Real(1), Real(1)}};
      return Phases<Real>{phase};
    });
  }();
  return formula;
}

DeviceProfile machine_profile() {
  DeviceProfile profile;
  profile.name = "synthetic";
  profile.origin = "measured";
  Machine<double>& machine = profile.machine;
  machine.name = "synthetic";
  machine.multiprocessors = 100;
  machine.cores_per_multiprocessor = 128;
  machine.clock = Hertz{clock_hz};
  machine.at(Level::global) = {400, 0.03, 12, 3};
  machine.at(Level::shared) = {20, 0.25, 2, 10};
  machine.at(Level::registers) = {5, 0.5, 0.5, 10};
  machine.launch_overhead = 3e-6;
  machine.kernel_gap = 1e-6;
  for_each_constant(machine, [&](std::string_view name, const std::optional<double>& value) {
    if (value) profile.estimates[std::string(name)] = {*value, Interval{*value * 0.99, *value * 1.01}};
  });
  return profile;
}

constexpr double true_beta = 5, true_work = 25, true_q = 2;

std::vector<Run> synthetic_runs(double noise, std::uint64_t seed) {
  const Machine<double> machine = machine_profile().machine;
  std::mt19937_64 random(seed);
  std::vector<Run> runs;
  for (int k = 14; k <= 28; ++k)
    for (int E : {1, 2, 3, 4, 6, 8, 12, 16, 17, 24, 32})
      for (int t : {64, 256}) {
        const double n = std::ldexp(1, k);
        const Law law{LawName::calibrated, Ceiling::as_printed, {true_q}};
        const double seconds =
            predicted_seconds<double>(copy_formula(), machine, {n, ElementType::u32, {{"E", E}, {"t", t}}},
                                      law, {true_beta, true_work});
        Run run;
        run.algorithm = "copy";
        run.type = "u32";
        run.input = "random";
        run.n = n;
        run.parameters = {{"E", E}, {"t", t}};
        // One factor for all repeats: what a law leaves unexplained does not average out.
        run.seconds = {seconds * std::exp(std::normal_distribution<double>(0, noise)(random))};
        run.checked = true;
        runs.push_back(run);
      }
  return runs;
}

const FormulaLookup lookup = [](std::string_view slug) { return slug == "copy" ? &copy_formula() : nullptr; };

}  // namespace

TEST_CASE("an algorithm's constants are found again from its runs") {
  const DeviceProfile profile = machine_profile();
  const AlgorithmFit fit =
      fit_algorithm(copy_formula(), ElementType::u32, profile.machine, synthetic_runs(0.01, 3), "synthetic");
  // Less closely than the times: q and the two constants trade off against each other, and the prior draws
  // them to their standard values, 2 and 10.
  CHECK(fit.constants.at("beta").value == Approx(true_beta).epsilon(0.2));
  CHECK(fit.constants.at("work").value == Approx(true_work).epsilon(0.2));
  CHECK(fit.q == Approx(true_q).epsilon(0.2));
  const auto holds = [&](const char* constant, double truth) {
    const Interval& interval = fit.constants.at(constant).interval.value();
    return interval.low <= truth && truth <= interval.high;
  };
  CHECK(holds("beta", true_beta));
  CHECK(holds("work", true_work));
  CHECK(fit.residual == Approx(0.01).epsilon(0.3));
  CHECK(fit.covariance.size() == 4);
  CHECK(fit.runs > 20);
}

TEST_CASE("the residual is what whole sizes and parameter sets left out would have been missed by") {
  // Every size of its own is slow or fast by a factor that no law tells: neighbours of the same size know of
  // it.
  std::vector<Run> runs = synthetic_runs(0.001, 3);
  std::mt19937_64 random(5);
  std::map<double, double> of_size;
  for (Run& run : runs) {
    const double shift = std::normal_distribution<double>(0, 0.05)(random);
    run.seconds[0] *= std::exp(of_size.try_emplace(run.n, shift).first->second);
  }
  const AlgorithmFit fit =
      fit_algorithm(copy_formula(), ElementType::u32, machine_profile().machine, runs, "synthetic");
  CHECK(fit.residual > 0.03);

  SECTION("runs of one size and one parameter set are left out one by one") {
    std::vector<Run> repeats;
    for (int i = 0; i < 8; ++i)
      for (const Run& run : synthetic_runs(0.05, std::uint64_t(i)))
        if (is_for_fitting(run) && repeats.size() == std::size_t(i)) repeats.push_back(run);
    REQUIRE(repeats.size() == 8);
    CHECK(fit_algorithm(copy_formula(), ElementType::u32, machine_profile().machine, repeats, "").residual >
          0.01);
  }
}

TEST_CASE("fits read no run that is kept for validation") {
  std::vector<Run> runs = synthetic_runs(0.01, 3);
  const Machine<double> machine = machine_profile().machine;
  const AlgorithmFit before = fit_algorithm(copy_formula(), ElementType::u32, machine, runs, "");
  for (Run& run : runs)
    if (!is_for_fitting(run)) run.seconds = {1e3};
  const AlgorithmFit after = fit_algorithm(copy_formula(), ElementType::u32, machine, runs, "");
  CHECK(after.constants.at("beta").value == before.constants.at("beta").value);
  CHECK(after.residual == before.residual);
  CHECK(after.runs == before.runs);
}

TEST_CASE("runs that cannot be trusted or are too few are not fitted") {
  std::vector<Run> runs = synthetic_runs(0.01, 3);
  const Machine<double> machine = machine_profile().machine;
  CHECK_THROWS_AS(fit_algorithm(copy_formula(), ElementType::u64, machine, runs, ""), std::invalid_argument);
  for (Run& run : runs) run.checked = false;
  CHECK_THROWS_WITH(fit_algorithm(copy_formula(), ElementType::u32, machine, runs, ""),
                    Catch::Contains("too few"));
}

TEST_CASE("predicted intervals hold the measured times of runs that no fit has seen") {
  DeviceProfile profile = machine_profile();
  profile.algorithms = {
      fit_algorithm(copy_formula(), ElementType::u32, profile.machine, synthetic_runs(0.05, 3), "synthetic")};
  const Comparison comparison = compare(profile, Dataset{{}, synthetic_runs(0.05, 3)}, lookup, Law{});
  const ErrorSummary& all = comparison.summaries.at(0);
  CHECK(all.group == "all");
  CHECK(all.mean_absolute_relative_error.value() < 0.06);
  CHECK(all.within_interval.value() >= 0.9);
  CHECK(all.within_interval.value() < 1);  // an interval that holds everything says nothing
}

TEST_CASE("without a fit there is no interval") {
  const DeviceProfile profile = machine_profile();
  const Problem problem{1 << 20, ElementType::u32, {{"E", 4}, {"t", 256}}};
  CHECK_FALSE(predict_with_interval(profile, copy_formula(), problem, Law{}).interval_s);
  CHECK_FALSE(resolve(profile, copy_formula(), ElementType::u32, Law{}).fitted);
  CHECK(resolve(profile, copy_formula(), ElementType::u32, Law{}).constants == ConstantValues<double>{2, 10});
}

TEST_CASE("the split is balanced, and the defaults may be fitted") {
  int sizes = 0;
  for (int k = 10; k <= 28; ++k) sizes += size_is_for_fitting(std::ldexp(1, k));
  CHECK(sizes >= 8);
  CHECK(sizes <= 11);
  int sets = 0;
  for (int E = 3; E <= 47; ++E)
    for (int t : {64, 128, 256, 512}) sets += parameters_are_for_fitting({{"E", E}, {"t", t}});
  CHECK(sets >= 75);
  CHECK(sets <= 105);
  CHECK(parameters_are_for_fitting({{"E", 17}, {"t", 256}}));
  CHECK(parameters_are_for_fitting({{"alpha", 8}, {"t", 256}}));
  CHECK(size_is_for_fitting(std::ldexp(1, 20)) == size_is_for_fitting(std::ldexp(1, 20) + 1));

  Run run;
  run.parameters = {{"E", 17}, {"t", 256}};
  for (int k = 10; k <= 28; ++k) {
    run.n = std::ldexp(1, k);
    CHECK_FALSE((is_for_fitting(run) && is_unseen(run)));
  }
}

TEST_CASE("errors and regret are those worked out by hand") {
  // Predicted times come from the standard constants; measured ones are set against them.
  const DeviceProfile profile = machine_profile();
  const double n = std::ldexp(1, 22);
  REQUIRE_FALSE(size_is_for_fitting(n));  // hence every run counts
  Dataset dataset;
  std::vector<double> predicted;
  for (int E = 1; E <= 8; ++E) {
    Run run;
    run.algorithm = "copy";
    run.type = "u32";
    run.input = "random";
    run.n = n;
    run.parameters = {{"E", E}, {"t", 256}};
    const Problem problem{n, ElementType::u32, {{"E", E}, {"t", 256}}};
    predicted.push_back(predict_with_interval(profile, copy_formula(), problem, Law{}).time_s);
    run.seconds = {predicted.back() * 9, predicted.back() * 2, predicted.back() * 1};  // the median counts
    dataset.runs.push_back(run);
  }
  const auto fastest = std::size_t(std::min_element(predicted.begin(), predicted.end()) - predicted.begin());
  const std::size_t winner = (fastest + 1) % 8;
  dataset.runs[winner].seconds = {predicted[fastest]};  // half of what the picked one takes
  const double winner_error = std::abs(predicted[winner] / predicted[fastest] - 1);

  Run baseline = dataset.runs[0];
  baseline.algorithm = "cub-copy";
  dataset.runs.push_back(baseline);

  const Comparison comparison = compare(profile, dataset, lookup, Law{});
  REQUIRE(comparison.runs.size() == 9);
  CHECK(comparison.runs[(winner + 1) % 8].relative_error.value() == Approx(-0.5));
  CHECK_FALSE(comparison.runs[8].predicted);
  CHECK_FALSE(comparison.runs[8].relative_error);

  const ErrorSummary& all = comparison.summaries.at(0);
  CHECK(all.runs == 8);
  CHECK(all.mean_absolute_relative_error.value() == Approx((7 * 0.5 + winner_error) / 8));
  CHECK(all.worst.value() == Approx(std::max(0.5, winner_error)));
  CHECK_FALSE(all.within_interval);
  CHECK(comparison.summaries.at(2).group == "n = 2^22");
  CHECK(comparison.summaries.at(3).group == "E = 1");
  CHECK(comparison.summaries.at(3).runs == 1);

  REQUIRE(comparison.regrets.size() == 1);
  CHECK(comparison.regrets[0].picked.at("E") == int(fastest) + 1);
  CHECK(comparison.regrets[0].best.at("E") == int(winner) + 1);
  CHECK(comparison.regrets[0].regret == Approx(1));

  SECTION("seven parameter sets are too few for a regret") {
    dataset.runs.erase(dataset.runs.begin());
    CHECK(compare(profile, dataset, lookup, Law{}).regrets.empty());
  }
  SECTION("small sizes can be left out") {
    const Comparison none = compare(profile, dataset, lookup, Law{}, 2 * n);
    CHECK(none.summaries.empty());
    CHECK(none.regrets.empty());
    CHECK(none.runs.size() == 9);
  }
}
