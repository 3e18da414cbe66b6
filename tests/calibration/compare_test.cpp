// SPDX-License-Identifier: Apache-2.0
#include <fathom/calibration/compare.h>
#include <fathom/calibration/fit.h>
#include <fathom/calibration/fitting_split.h>

#include <catch2/catch.hpp>

#include "counted_algorithm.h"

using namespace fathom;
using namespace fathom::synthetic;

namespace {

constexpr Law counted{LawName::counted}, fitted{LawName::fitted};

Comparison compare(const DeviceProfile& profile, const Dataset& dataset, double smallest_n = 0) {
  return fathom::compare(profile, {&dataset, 1}, find_computation, counted, smallest_n, {}, work_of);
}

Measurement run_at(double n, int E, double factor) {
  const Problem problem = problem_of(n, E, 256);
  return run_of(problem, factor * seconds_of(problem));
}

/// Eight runs at one size that no fit uses, twice as slow as counted.
Dataset eight_runs() {
  const double n = std::ldexp(1, 22);
  Dataset dataset;
  for (int E = 1; E <= 8; ++E) dataset.runs.push_back(run_at(n, E, 2));
  return dataset;
}

}  // namespace

TEST_CASE("intervals of the law fitted contain the measured times of runs that no fit has seen") {
  DeviceProfile profile = counted_profile();
  const std::vector<Measurement> runs = synthetic_runs({1.2, 1.1}, 0.05, 3);
  profile.algorithms = {fit_algorithm(computation(), profile, runs, "", work_of)};
  const Dataset dataset{{}, runs};
  const auto error = [&](const Law& law) {
    return fathom::compare(profile, {&dataset, 1}, find_computation, law, 0, {}, work_of).summaries.at(0);
  };
  CHECK(error(fitted).group == "all");
  CHECK(error(fitted).law == "fitted");
  CHECK(error(fitted).mean_absolute_relative_error.value() < 0.05);
  CHECK(error(counted).mean_absolute_relative_error.value() > 0.08);
  CHECK(error(fitted).within_interval.value() >= 0.9);
  CHECK(error(fitted).within_interval.value() < 1);  // an interval that contains everything is useless
}

TEST_CASE("runs that a fit may have used do not judge, but where nothing was fitted all do") {
  DeviceProfile profile = counted_profile();
  Dataset dataset;
  std::size_t for_fitting = 0;
  for (const double n : {1e5, 1e6, 3e6, 1e7, 3e7, 1e8})
    for (int E = 1; E <= 6; ++E) {
      dataset.runs.push_back(run_at(n, E, 1.5));
      for_fitting += is_for_fitting(dataset.runs.back());
    }
  REQUIRE(for_fitting > 0);
  REQUIRE(for_fitting < dataset.runs.size());

  const Comparison unfitted = compare(profile, dataset);
  CHECK(unfitted.summaries.at(0).runs == dataset.runs.size());
  CHECK(unfitted.left_out.fitted == 0);

  profile.algorithms.emplace_back().algorithm = "another";
  CHECK(compare(profile, dataset).summaries.at(0).runs == dataset.runs.size());
  profile.algorithms.emplace_back().algorithm = dataset.runs[0].algorithm;
  const Comparison fitted = compare(profile, dataset);
  CHECK(fitted.summaries.at(0).runs == dataset.runs.size() - for_fitting);
  CHECK(fitted.left_out.fitted == for_fitting);
}

TEST_CASE("errors and regret equal those computed by hand") {
  const DeviceProfile profile = counted_profile();
  const double n = std::ldexp(1, 22);
  REQUIRE_FALSE(size_is_for_fitting(n));  // so every run counts
  Dataset dataset;
  std::vector<double> predicted;
  for (int E = 1; E <= 8; ++E) {
    const double seconds = seconds_of(problem_of(n, E, 256));
    predicted.push_back(seconds);
    dataset.runs.push_back(run_of(problem_of(n, E, 256), 0));
    dataset.runs.back().seconds = {seconds * 9, seconds * 2, seconds * 1};  // the median counts
  }
  const auto fastest = std::size_t(std::min_element(predicted.begin(), predicted.end()) - predicted.begin());
  const std::size_t winner = (fastest + 1) % 8;
  dataset.runs[winner].seconds = {predicted[fastest]};  // half the time of the picked one
  const double winner_error = std::abs(predicted[winner] / predicted[fastest] - 1);

  Measurement baseline = dataset.runs[0];
  baseline.algorithm = "of-another-library";
  dataset.runs.push_back(baseline);

  const Comparison comparison = compare(profile, dataset);
  REQUIRE(comparison.runs.size() == 9);
  CHECK(comparison.runs[(winner + 1) % 8].relative_error.value() == Approx(-0.5));
  CHECK_FALSE(comparison.runs[8].predicted);
  CHECK_FALSE(comparison.runs[8].relative_error);

  const ErrorSummary& all = comparison.summaries.at(0);
  CHECK(all.runs == 8);
  CHECK(all.type == "u32");
  CHECK(all.mean_absolute_relative_error.value() == Approx((7 * 0.5 + winner_error) / 8));
  CHECK(all.worst.value() == Approx(std::max(0.5, winner_error)));
  CHECK(all.within_interval.value() == Approx(1. / 8));  // the winner
  CHECK(comparison.summaries.at(2).group == "n = 2^22");
  CHECK(comparison.summaries.at(3).group == "E = 1");
  CHECK(comparison.summaries.at(3).runs == 1);

  REQUIRE(comparison.regrets.size() == 1);
  CHECK(comparison.regrets[0].picked.at("E") == int(fastest) + 1);
  CHECK(comparison.regrets[0].best.at("E") == int(winner) + 1);
  CHECK(comparison.regrets[0].regret == Approx(1));

  SECTION("seven parameter sets are too few for a regret") {
    dataset.runs.erase(dataset.runs.begin());
    CHECK(compare(profile, dataset).regrets.empty());
  }
  SECTION("the same set in another order is not an eighth") {
    dataset.runs[0].problem.parameters = {{"t", 256}, {"E", 2}};
    CHECK(compare(profile, dataset).regrets.empty());
  }
  SECTION("small sizes can be left out") {
    const Comparison none = compare(profile, dataset, 2 * n);
    CHECK(none.summaries.empty());
    CHECK(none.regrets.empty());
    CHECK(none.runs.size() == 9);
  }
  SECTION("only random input and a steady clock count") {
    for (std::size_t i = 0; i < 4; ++i) dataset.runs[i].input = Input::sorted;
    for (std::size_t i = 4; i < 8; ++i) dataset.runs[i].clock_moved = true;
    CHECK(compare(profile, dataset).summaries.empty());
  }
  SECTION("types are kept separate") {
    dataset.runs[0].problem.type = ElementType::u64;
    const Comparison apart = compare(profile, dataset);
    CHECK(apart.summaries.at(0).type == "u32");
    CHECK(apart.summaries.at(0).runs == 7);
    CHECK(apart.summaries.back().type == "u64");
  }
  SECTION("an algorithm of which a law knows neither kernels nor a formula is measured only") {
    Descriptor measured_only = computation();
    measured_only.plan = {};
    const Comparison none = fathom::compare(
        profile, {&dataset, 1}, [&](std::string_view) { return &measured_only; }, counted, 0, {}, work_of);
    CHECK(none.left_out.without_formula == 9);
    CHECK(none.summaries.empty());
    CHECK_FALSE(none.runs[0].predicted);
  }
}

TEST_CASE("runs that do not count are counted by reason, and enter neither errors nor regrets") {
  const DeviceProfile profile = counted_profile();
  Dataset dataset = eight_runs();
  REQUIRE(compare(profile, dataset).summaries.at(0).runs == 8);
  REQUIRE(compare(profile, dataset).regrets.size() == 1);
  REQUIRE(compare(profile, dataset).left_out.unchecked == 0);

  SECTION("a run that was never checked") {
    dataset.runs[0].checked = false;
    dataset.runs[0].seconds = {1e-9};
    const Comparison comparison = compare(profile, dataset);
    CHECK(comparison.left_out.unchecked == 1);
    CHECK(comparison.summaries.at(0).runs == 7);
    CHECK(comparison.summaries.at(0).worst.value() == Approx(0.5));
    CHECK(comparison.regrets.empty());
    CHECK(comparison.runs.size() == 8);
  }
  SECTION("each run once, under the first reason") {
    dataset.runs[0].checked = false;
    dataset.runs[0].clock_moved = true;
    dataset.runs[1].clock_moved = true;
    dataset.runs[2].algorithm = dataset.runs[3].algorithm = "of-tomorrow";
    dataset.runs[3].checked = false;
    dataset.runs[4].problem.parameters = {{"E", 5}};
    dataset.runs[5].problem.parameters = {{"E", 33}, {"t", 256}};
    const LeftOut left_out = compare(profile, dataset).left_out;
    CHECK(left_out.unchecked == 1);
    CHECK(left_out.clock_moved == 1);
    CHECK(left_out.unknown_algorithm == 2);
    CHECK(left_out.not_predicted ==
          std::map<std::string, std::size_t>{{"a parameter is missing", 1}, {"parameters out of range", 1}});
  }
  SECTION("a law without its constants") {
    DeviceProfile published = profile;
    published.machine.launch_overhead.reset();
    const Comparison comparison = compare(published, dataset);
    CHECK(comparison.left_out.not_predicted.at("the profile lacks a constant or a fit") == 8);
    CHECK(comparison.summaries.empty());
  }
}

TEST_CASE("runs of another GPU than the profile's are said to be") {
  DeviceProfile profile = counted_profile();
  Dataset dataset = eight_runs();
  CHECK_FALSE(compare(profile, dataset).other_gpu);  // nothing is known of the GPU
  dataset.provenance.gpu = "GPU A";
  profile.provenance.gpu = "GPU A";
  CHECK_FALSE(compare(profile, dataset).other_gpu);
  profile.provenance.gpu = "GPU B";
  CHECK(compare(profile, dataset).other_gpu);
  CHECK(compare(profile, dataset).measured_on == "GPU A");
}

TEST_CASE("several datasets are compared as one") {
  const DeviceProfile profile = counted_profile();
  const Dataset all = eight_runs();
  std::vector<Dataset> halves(2);
  for (std::size_t i = 0; i < all.runs.size(); ++i) halves[i % 2].runs.push_back(all.runs[i]);
  const Comparison comparison = fathom::compare(profile, halves, find_computation, counted, 0, {}, work_of);
  CHECK(comparison.summaries.at(0).runs == 8);
  REQUIRE(comparison.runs.size() == 8);
  CHECK(comparison.runs[4].run == &halves[1].runs[0]);
}

TEST_CASE("a comparison can be cancelled") {
  const Dataset dataset = eight_runs();
  const Progress cancel = [](std::string_view, std::size_t, std::size_t) {
    throw std::runtime_error("stop");
  };
  CHECK_THROWS_WITH(
      fathom::compare(counted_profile(), {&dataset, 1}, find_computation, counted, 0, cancel, work_of),
      "stop");
}
