#include "copy_algorithm.h"

#include <fathom/calibration/compare.h>

#include <catch2/catch.hpp>

using namespace fathom;
using namespace fathom::synthetic;

TEST_CASE("predicted intervals contain the measured times of runs that no fit has seen") {
  DeviceProfile profile = machine_profile();
  const std::vector<Measurement> runs = synthetic_runs(0.05, 3);
  profile.algorithms = {fit_algorithm(copy_algorithm(), {ElementType::u32, {}}, profile.machine, runs, "")};
  const Comparison comparison = compare(profile, Dataset{{}, runs}, find_copy, Law{});
  const ErrorSummary& all = comparison.summaries.at(0);
  CHECK(all.group == "all");
  CHECK(all.mean_absolute_relative_error.value() < 0.06);
  CHECK(all.within_interval.value() >= 0.9);
  CHECK(all.within_interval.value() < 1);  // an interval that contains everything is useless
}

TEST_CASE("errors and regret equal those computed by hand") {
  // Predictions use the default constants without a fit, hence the sum; measured times are set relative to
  // them.
  const DeviceProfile profile = machine_profile();
  const double n = std::ldexp(1, 22);
  REQUIRE_FALSE(size_is_for_fitting(n));  // so every run counts
  Dataset dataset;
  std::vector<double> predicted;
  for (int E = 1; E <= 8; ++E) {
    const double seconds = copy_seconds(n, E, 256, 2, 10, 1);
    predicted.push_back(seconds);
    dataset.runs.push_back(copy_run(n, E, 256, 0));
    dataset.runs.back().seconds = {seconds * 9, seconds * 2, seconds * 1};  // the median counts
  }
  const auto fastest = std::size_t(std::min_element(predicted.begin(), predicted.end()) - predicted.begin());
  const std::size_t winner = (fastest + 1) % 8;
  dataset.runs[winner].seconds = {predicted[fastest]};  // half the time of the picked one
  const double winner_error = std::abs(predicted[winner] / predicted[fastest] - 1);

  Measurement baseline = dataset.runs[0];
  baseline.algorithm = "cub-copy";
  dataset.runs.push_back(baseline);

  const Comparison comparison = compare(profile, dataset, find_copy, Law{});
  REQUIRE(comparison.runs.size() == 9);
  CHECK(comparison.runs[(winner + 1) % 8].relative_error.value() == Approx(-0.5));
  CHECK_FALSE(comparison.runs[8].predicted);
  CHECK_FALSE(comparison.runs[8].relative_error);

  const ErrorSummary& all = comparison.summaries.at(0);
  CHECK(all.runs == 8);
  CHECK(all.type == "u32");
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
    CHECK(compare(profile, dataset, find_copy, Law{}).regrets.empty());
  }
  SECTION("the same set in another order is not an eighth") {
    dataset.runs[0].problem.parameters = {{"t", 256}, {"E", 2}};
    CHECK(compare(profile, dataset, find_copy, Law{}).regrets.empty());
  }
  SECTION("small sizes can be left out") {
    const Comparison none = compare(profile, dataset, find_copy, Law{}, 2 * n);
    CHECK(none.summaries.empty());
    CHECK(none.regrets.empty());
    CHECK(none.runs.size() == 9);
  }
  SECTION("only random input and a steady clock count") {
    for (std::size_t i = 0; i < 4; ++i) dataset.runs[i].input = Input::sorted;
    for (std::size_t i = 4; i < 8; ++i) dataset.runs[i].clock_moved = true;
    CHECK(compare(profile, dataset, find_copy, Law{}).summaries.empty());
  }
  SECTION("types are kept separate, values included") {
    dataset.runs[0].problem.value_type = ElementType::u64;
    const Comparison apart = compare(profile, dataset, find_copy, Law{});
    CHECK(apart.summaries.at(0).type == "u32");
    CHECK(apart.summaries.at(0).runs == 7);
    CHECK(apart.summaries.back().type == "u32:u64");
  }
  SECTION("an algorithm without a formula is measured only") {
    Descriptor measured_only = copy_algorithm();
    measured_only.formula.reset();
    const Comparison none = compare(
        profile, dataset, [&](std::string_view) { return &measured_only; }, Law{});
    CHECK(none.summaries.empty());
    CHECK_FALSE(none.runs[0].predicted);
  }
}
