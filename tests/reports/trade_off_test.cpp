// SPDX-License-Identifier: Apache-2.0
#include "samples.h"

#include <fathom/algorithms/registry.h>
#include <fathom/model/laws/counted.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

using namespace fathom;
using namespace fathom::reports;
using Catch::Matchers::Contains;

namespace {

const std::vector<LawName> both_laws{LawName::counted, LawName::published};

/// The matrix scan measured at n for α = 1 … most, α microseconds each.
Dataset measured_up_to(int most, double n, int t = 256) {
  Dataset dataset;
  for (int alpha = 1; alpha <= most; ++alpha)
    dataset.runs.push_back(run_of("scan-matrix", n, {{"alpha", alpha}, {"t", t}}, 1e-6 * alpha));
  return dataset;
}

TradeOff over_rows(const std::string& device, const std::vector<LawName>& laws,
                   const std::vector<Dataset>& datasets = {}, const WorkLookup& work = shipped_work()) {
  return trade_off(built_in_profile(device), *find_descriptor("scan-matrix"), "alpha", laws, datasets, work);
}

ReportInput input_on(const std::string& device, const std::vector<TradeOff>& trade_offs) {
  ReportInput input;
  input.profile = built_in_profile(device);
  input.trade_offs = trade_offs;
  return input;
}

const Figure& figure_at(const std::vector<FigureOrMissing>& all, std::size_t k) {
  return std::get<Figure>(all.at(k));
}

}  // namespace

TEST_CASE("published X and bandwidth over α on the m4000 match a calculation by hand") {
  // X = (M/P)·b/(α(b + 1)) = 192·32/(33·α), but at most 16: 16 at α = 8, 5.82 at 32. Clocks per element and
  // core at α = 8: 3/0.0301 global, 2·4/0.233 and (3 + 2·5/8)·85.84/16 shared; at α = 32 all wait for
  // latency, 3·269.5/X and (2 + 3 + 10/32)·85.84/X.
  const TradeOff gpu = over_rows("m4000", both_laws);
  REQUIRE(gpu.predicted.size() == 1);  // the law counted needs rates that were not published
  const auto& points = gpu.predicted[0].points;
  REQUIRE(points.size() == 32);
  CHECK(points[7].X == 16);
  CHECK(points[31].X == Approx(192 / 33.));
  CHECK(*gpu.knee == Approx(269.5 * 0.0301));
  CHECK(gpu.most_X == 16);
  CHECK(gpu.measured.empty());

  const auto all = figures(input_on("h200", {gpu}), FigureKind::tradeoff);
  REQUIRE(all.size() == 3);  // two figures for the other GPU, none for the h200
  CHECK(std::holds_alternative<Missing>(all[2]));
  const auto& bandwidth = figure_at(all, 0).layers.at(0).points;
  const double rate = 8e-9 * 1664 * 780e6;  // GB/s at one clock per element and core
  CHECK(bandwidth[7].x == 8);
  CHECK(bandwidth[7].y == Approx(rate / (3 / 0.0301 + 8 / 0.233 + 4.25 * 85.84 / 16)));
  CHECK(bandwidth[31].y == Approx(rate / ((3 * 269.5 + 5.3125 * 85.84) / (192 / 33.))));
  CHECK(figure_at(all, 1).layers.at(0).points[31].y == Approx(192 / 33.));
}

TEST_CASE(
    "the kernel's X is the occupancy of the kernel with most shared accesses, by its compiled registers") {
  const DeviceProfile profile = built_in_profile("h200");
  const Descriptor& scan_matrix = *find_descriptor("scan-matrix");
  const TradeOff gpu = over_rows("h200", both_laws);
  REQUIRE(gpu.predicted.size() == 2);
  REQUIRE(gpu.predicted[0].name == LawName::counted);
  CHECK(gpu.unpredicted.empty());
  REQUIRE(gpu.predicted[0].points.size() == 32);
  CHECK(gpu.predicted[0].points[0].X == 16);  // small tiles: all 2048 threads of 128 cores
  for (const TradeOff::Point& point : gpu.predicted[0].points) {
    INFO("alpha " << point.value);
    Problem problem = gpu.problem;
    problem.parameters.set("alpha", point.value);
    const auto work = shipped_work()(scan_matrix, ElementType::u32, problem.parameters, Input::random);
    const Plan plan = plan_with_work(scan_matrix, profile.machine, problem, *work);
    const auto scan = std::ranges::find(plan, "ScanChunks", &Launch::name);
    REQUIRE(scan != plan.end());
    CHECK(point.X ==
          2 * resident_blocks(profile.machine.limits, scan->shape, work->of("ScanChunks").registers));
    CHECK_FALSE(point.I);
    CHECK(point.prediction.resources);
    REQUIRE(point.prediction.interval_s);
    CHECK(point.prediction.interval_s->high > 1.1 * point.prediction.time_s);
  }
  // 228 KiB hold 58368 words: 1768.7 warps of one row, of which 64 can be resident; but 55.3 of 32 rows.
  CHECK(gpu.predicted[1].points[0].X == 16);
  CHECK(gpu.predicted[1].points[31].X == Approx(58368 / (33 * 32.) * 32 / 128));
}

TEST_CASE("values whose work is unavailable are left out of a trade-off, and counted") {
  std::set<int> asked;
  const WorkLookup most = [&](const Descriptor& of, const Instantiation& type, const Parameters& parameters,
                              Input input) {
    CHECK(asked.insert(parameters.at("alpha")).second);  // once for each value
    if (parameters.at("alpha") % 8 == 0) throw WorkUnavailable("install it");
    return shipped_work()(of, type, parameters, input);
  };
  const TradeOff gpu = over_rows("h200", {LawName::counted}, {}, most);
  REQUIRE(gpu.predicted.size() == 1);
  CHECK(gpu.predicted[0].points.size() == 28);
  REQUIRE(gpu.unpredicted.size() == 4);
  CHECK(gpu.unpredicted[0].problem.parameters.at("alpha") == 8);
  CHECK(gpu.unpredicted[0].why == "install it");
  const auto all = figures(input_on("h200", {gpu}), FigureKind::tradeoff);
  CHECK_THAT(figure_at(all, 0).note, Contains("4 points without a prediction"));

  const WorkLookup none = [](auto&&...) -> std::shared_ptr<const AlgorithmWork> {
    throw WorkUnavailable("install it");
  };
  const TradeOff lost = over_rows("h200", {LawName::counted}, {}, none);
  CHECK(lost.predicted.empty());
  CHECK(lost.unpredicted.size() == 32);
  CHECK(std::holds_alternative<Missing>(figures(input_on("h200", {lost}), FigureKind::tradeoff).at(0)));
}

TEST_CASE("measurements shown are those of the largest n with nearly every α at the default t") {
  std::vector<Dataset> datasets{measured_up_to(32, 0x1p20), measured_up_to(28, 0x1p22),
                                measured_up_to(27, 0x1p24), measured_up_to(32, 0x1p25, 128)};
  datasets.push_back(measured_up_to(32, 0x1p26));
  for (Measurement& run : datasets.back().runs) run.problem.type = ElementType::u64;
  const TradeOff gpu = over_rows("h200", both_laws, datasets);
  CHECK(gpu.problem.n == 0x1p22);
  CHECK(gpu.problem.parameters.at("t") == 256);
  REQUIRE(gpu.measured.size() == 28);
  CHECK(gpu.measured[4].value == 5);
  CHECK(gpu.measured[4].seconds.median == Approx(5e-6));

  const auto all = figures(input_on("h200", {gpu}), FigureKind::tradeoff);
  REQUIRE(all.size() == 2);
  const Figure& bandwidth = figure_at(all, 0);
  CHECK_THAT(bandwidth.title, Contains("n = 2^22") && Contains("h200"));
  const Layer& markers = bandwidth.layers.back();
  REQUIRE(markers.style == Style::points);
  CHECK(markers.points[4].y == Approx(8 * 0x1p22 / 5e-6 / 1e9));
  CHECK_THAT(in_words(gpu), Contains("Measured bandwidth is highest at alpha = 1 (") &&
                                Contains("lowest at alpha = 28 (") && Contains("X goes from 16.0 to"));
}

TEST_CASE("without a sweep of α the predictions are shown alone and the command is named") {
  const TradeOff gpu = over_rows("h200", both_laws, {measured_up_to(8, 0x1p22)});
  const auto all = figures(input_on("h200", {gpu}), FigureKind::tradeoff);
  REQUIRE(all.size() == 3);
  for (const Layer& layer : figure_at(all, 0).layers) CHECK(layer.style != Style::points);
  CHECK_THAT(std::get<Missing>(all[2]).command, Contains("fathom bench scan-matrix"));
}

TEST_CASE("exactly the algorithms swept over their first parameter have a trade-off") {
  const DeviceProfile profile = built_in_profile("h200");
  Dataset runs = measured_up_to(32, 0x1p22);
  for (int E = 3; E <= 47; ++E)
    runs.runs.push_back(run_of("sort-pairwise", 0x1p24, {{"t", 128}, {"E", E}}, 1e-3));
  runs.runs.push_back(run_of("scan-lookback", 0x1p24, {{"E", 4}, {"t", 256}}, 1e-3));
  const auto all = trade_offs(profile, {LawName::counted}, {runs}, {}, shipped_work());
  REQUIRE(all.size() == 2);
  CHECK(all[0].algorithm == "sort-pairwise");
  CHECK(all[0].parameter == "E");
  CHECK(all[0].problem.parameters.at("t") == 128);
  CHECK(all[0].measured.size() == 45);
  CHECK(all[1].algorithm == "scan-matrix");

  const auto drawn = figures(input_on("h200", all), FigureKind::tradeoff);
  REQUIRE(drawn.size() == 4);
  CHECK(figure_at(drawn, 0).x.label == "E, elements per thread");
  CHECK(figure_at(drawn, 2).x.label == "alpha, rows of a tile");
  CHECK_THAT(figure_at(drawn, 0).title, Contains("sort-pairwise over E") && Contains("t = 128"));
}

TEST_CASE("without measurements every algorithm with a formula and enough values has a trade-off") {
  for (const TradeOff& one : trade_offs(built_in_profile("h200"), both_laws, {}, {}, shipped_work())) {
    INFO(one.algorithm);
    const Descriptor& algorithm = *find_descriptor(one.algorithm);
    CHECK(algorithm.formula);
    CHECK(one.parameter == algorithm.parameters.front().name);
    CHECK(one.measured.empty());
    for (const TradeOff::Law& law : one.predicted)
      for (const TradeOff::Point& point : law.points) CHECK(point.X > 0);
  }
}

TEST_CASE("any parameter of an algorithm can be varied, and an unknown one is named") {
  const DeviceProfile profile = built_in_profile("h200");
  const TradeOff over =
      trade_off(profile, *find_descriptor("sort-pairwise"), "t", {LawName::counted}, {}, shipped_work());
  REQUIRE(over.predicted.size() == 1);
  CHECK(over.predicted[0].points.size() == 4);
  const auto drawn = figures(input_on("h200", {over}), FigureKind::tradeoff);
  CHECK(figure_at(drawn, 0).x.label == "t, threads per block");
  CHECK(figure_at(drawn, 0).x.scale == Scale::log2);
  CHECK_THROWS_WITH(trade_off(profile, *find_descriptor("sort-pairwise"), "K", both_laws),
                    Contains("no parameter 'K'"));
}

TEST_CASE("a reduction's bandwidth counts its input and one result") {
  const TradeOff over =
      trade_off(built_in_profile("h200"), *find_descriptor("reduce-vector"), "I", {LawName::published});
  CHECK(bandwidth_at(over, 1) == 4 * 0x1p26 + 4);
}

TEST_CASE("runs without all parameters of their algorithm are not shown") {
  Dataset dataset = measured_up_to(32, 1e6);
  for (Measurement& run : dataset.runs)
    run.problem.parameters = {{"alpha", run.problem.parameters.at("alpha")}};
  CHECK(over_rows("h200", {LawName::published}, {dataset}).measured.empty());
}
