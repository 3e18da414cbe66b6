// SPDX-License-Identifier: Apache-2.0
// What figures show: their points, labels, ids and notes.
#include "samples.h"

#include <fathom/core/text/escape.h>
#include <fathom/reports/figures/machine/memory_machines.h>
#include <fathom/reports/figures/sweeps.h>
#include <fathom/reports/figures/throughput.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <set>

using namespace fathom;
using namespace fathom::reports;
using Catch::Matchers::Contains;

namespace {
using Names = std::set<std::string>;

ReportInput input_of(std::vector<Measurement> runs) {
  ReportInput input;
  input.datasets.push_back({{}, std::move(runs)});
  return input;
}

/// As many figures as there must be.
std::vector<Figure> drawn(const ReportInput& input, FigureKind kind, std::size_t count) {
  std::vector<Figure> all;
  for (const auto& one : figures(input, kind))
    if (std::holds_alternative<Figure>(one)) all.push_back(std::get<Figure>(one));
  REQUIRE(all.size() == count);
  return all;
}
Figure first(const ReportInput& input, FigureKind kind) {
  return std::get<Figure>(figures(input, kind).at(0));
}
Names ids_of(const std::vector<Figure>& all) {
  Names ids;
  for (const Figure& one : all) {
    CHECK(identifier(one.id) == one.id);
    ids.insert(one.id);
  }
  return ids;
}

const Layer* find_layer(const Figure& figure, const std::string& label) {
  const auto found = std::ranges::find(figure.layers, label, &Layer::label);
  return found == figure.layers.end() ? nullptr : &*found;
}
/// The first point of a layer that must be there, as an interval.
std::pair<double, double> span(const Figure& figure, const std::string& label) {
  const Layer* layer = find_layer(figure, label);
  REQUIRE(layer);
  return {layer->points.at(0).low, layer->points[0].high};
}

}  // namespace

TEST_CASE("figures of one kind have different ids, of letters, digits and '-'") {
  std::vector<Measurement> runs;
  // The first and the last two would have the same id, and overwrite each other's file.
  for (const char* algorithm : {"a", "a-u32", "../b", "..-b"})
    for (const bool of_pairs : {false, true})
      for (const int t : {128, 192, 256, 512}) {
        runs.push_back(run_of(algorithm, 1024, {{"t", t}}, 1e-6));
        runs.back().problem.type = ElementType::u32;
        if (of_pairs) runs.back().problem.value_type = ElementType::u32;
      }
  CHECK(ids_of(drawn(input_of(runs), FigureKind::sweep, 8)).size() == 8);
}

TEST_CASE("without data every kind says what is missing and which command produces it") {
  for (FigureKind kind :
       {FigureKind::throughput, FigureKind::algorithms, FigureKind::sweep, FigureKind::saturation,
        FigureKind::footprint, FigureKind::conflicts, FigureKind::parity, FigureKind::terms,
        FigureKind::machines, FigureKind::tradeoff, FigureKind::inputs, FigureKind::types,
        FigureKind::crossover, FigureKind::scaling, FigureKind::papers}) {
    CHECK(parse_figure_kind(name(kind)) == kind);
    const auto all = figures({}, kind);
    REQUIRE_FALSE(all.empty());
    for (const auto& one : all) {
      REQUIRE(std::holds_alternative<Missing>(one));
      CHECK_THAT(std::get<Missing>(one).command, Contains("fathom "));
    }
  }
  CHECK_THROWS_WITH(parse_figure_kind("pie"), Contains("parity"));
}

TEST_CASE("reductions and scans share a figure, and each kind with several algorithms has its own") {
  std::vector<Measurement> runs;
  for (const char* algorithm : {"reduce-tree", "cub-reduce", "scan-naive"})
    for (const double n : {1024., 4096.}) runs.push_back(run_of(algorithm, n, {{"t", 256}}, n * 1e-9));
  const auto all = drawn(input_of(runs), FigureKind::algorithms, 2);
  CHECK(all[0].id == "algorithms-reduce-and-scan-u32");
  Names labels;
  for (const Layer& layer : all[0].layers) labels.insert(layer.label);
  labels.erase("");
  CHECK(labels == Names{"cub-reduce", "reduce-tree", "scan-naive"});
  CHECK(all[1].id == "algorithms-reduce-u32");
}

TEST_CASE("saturation is X/τ over X·I") {
  const auto all = figures(sample_input(), FigureKind::saturation);
  // Layers go line, markers per I: the markers of I = 1 come second. X = 0.25: τ = L = 700 clocks.
  const auto& measured = std::get<Figure>(all[0]).layers[1].points;
  REQUIRE(measured.size() == 4);
  CHECK(measured[0].x == 0.25);
  CHECK(measured[0].y == Approx(0.25 / 700));
  CHECK(std::holds_alternative<Missing>(all[1]));
}

TEST_CASE("footprints: bytes per second of a pass, without launch overhead") {
  ReportInput input;
  input.profile.machine.launch_overhead = 2e-6;
  input.profile.machine.kernel_gap = 1e-6;
  input.profile.machine.l2_half_reading = 3e7;
  // 2 µs and four launches of 1 + 10 µs: 40 MB in 10 µs.
  input.profile.series = {{"footprint-read", {{"bytes", 4e7}, {"launches", 4}}, "s", {46e-6}, 1e9, false}};
  const auto layers = drawn(input, FigureKind::footprint, 1)[0].layers;
  REQUIRE(layers.size() == 2);
  CHECK(layers[0].label == "read");
  REQUIRE(layers[0].points.size() == 1);
  CHECK(layers[0].points[0].x == 4e7);
  CHECK(layers[0].points[0].y == Approx(4000));
  CHECK(layers[0].points[0].high == Approx(4000));
  CHECK(layers[1].points[0].x == 3e7);
}

TEST_CASE("memory machines: a figure for each kind, memory and variable; over n per element") {
  ReportInput input;
  const std::vector<MachinePoint> points{{1024, 2048, 512}, {4096, 4096, 2048}};
  for (const char* algorithm : {"scan-naive", "scan-interval", "reduce-tree"})
    for (const char* variable : {"n", "l"})
      input.machine_sweeps.push_back({algorithm, MachineKind::umm, variable, points});
  input.machine_sweeps.push_back({"scan-interval", MachineKind::dmm, "n", points});
  std::map<std::string, Figure> by_id;
  for (const Figure& one : drawn(input, FigureKind::machines, 5)) by_id.emplace(one.id, one);
  const auto& scans = by_id.at("machines-scan-umm-n").layers;
  REQUIRE(scans.size() == 5);  // line and markers for each, and the legend
  // 4 and 2 times the cost: √8 times it fits best.
  CHECK(scans[0].points[0].y == Approx(std::sqrt(8.) * 512 / 1024));
  CHECK(scans[1].points[0].y == Approx(2));
  CHECK(scans[1].points[1].y == Approx(1));
  CHECK_THAT(scans[1].label, Contains("scan-naive"));
  CHECK(by_id.at("machines-reduce-umm-latency").layers[1].points[0].y == 2048);
  CHECK(by_id.contains("machines-scan-dmm-n"));
}

TEST_CASE("memory machines over a parameter are labelled by the registry if the algorithms agree") {
  const std::vector<MachinePoint> points{{4, 2048, 512}, {8, 4096, 2048}};
  const auto axis = [&](std::vector<MachineSweep> sweeps) {
    return machine_figure("id", "title", sweeps.front().variable, sweeps).x.label;
  };
  CHECK(axis({{"scan-matrix", MachineKind::dmm, "alpha", points}}) == "alpha, rows of a tile");
  const MachineSweep scan{"scan-naive", MachineKind::umm, "t", points},
      reduction{"reduce-tree", MachineKind::umm, "t", points};
  CHECK(axis({scan}) == "t, threads per block");
  CHECK(axis({scan, reduction}) == "t");
  CHECK(axis({{"scan-naive", MachineKind::umm, "w", points}}) == "w, banks");
}

TEST_CASE("each type has its own figures, with ids without special characters") {
  std::vector<Measurement> runs;
  for (const double n : {1024., 4096.})
    for (const char* algorithm : {"sort-pairwise", "cub-merge"}) {
      runs.push_back(run_of(algorithm, n, {}, n * 1e-9));
      for (const bool stable : {false, true}) {
        runs.push_back(run_of(algorithm, n, {}, n * 1e-9));
        runs.back().problem.value_type = ElementType::u64;
        runs.back().problem.stable = stable;
      }
    }
  CHECK(ids_of(drawn(input_of(runs), FigureKind::algorithms, 3)) ==
        Names{"algorithms-sort-u32", "algorithms-sort-u32-u64", "algorithms-sort-u32-u64-stable"});
}

TEST_CASE("a measured series that is no algorithm here has a figure of its own, a baseline has none") {
  std::vector<Measurement> runs;
  for (const double n : {1024., 4096.})
    for (const char* name : {"BM_mine", "BM_other", "cub-merge"})
      runs.push_back(run_of(name, n, {}, n * 1e-9));
  const std::vector<Figure> all = drawn(input_of(runs), FigureKind::throughput, 2);
  CHECK(all[0].of.algorithm == "BM_mine");
  CHECK(all[0].layers.size() == 1);
  CHECK(all[1].of.algorithm == "BM_other");
}

TEST_CASE("a sweep marks both optima") {
  const auto layers = drawn(sample_input(), FigureKind::sweep, 1)[0].layers;
  CHECK(layers[layers.size() - 2].label == "best predicted: 15");
  CHECK(layers[layers.size() - 1].label == "best measured: 15");
}

TEST_CASE("a curve over n has the defaults of each n, where they depend on it") {
  const Algorithm& sort = algorithm("radix-onesweep");
  std::vector<Measurement> runs;
  std::set<Parameters> defaults;
  for (const double n : {0x1p16, 0x1p20, 0x1p24, 0x1p28}) {
    const Parameters usual = sort.problem(n).parameters;
    defaults.insert(usual);
    runs.push_back(run_of(sort.slug, n, usual, 1e-9 * n));
  }
  REQUIRE(defaults.size() > 1);
  Parameters others = sort.default_parameters();
  others.set("d", 4);
  for (const double n : {0x1p20, 0x1p24}) runs.push_back(run_of(sort.slug, n, others, 1e-10 * n));
  const ReportInput input = input_of(runs);
  const ThroughputCurve curve = throughput_curve({sort.slug, "u32"}, configurations(input).begin()->second);
  CHECK(curve.label == "radix-onesweep (defaults)");
  REQUIRE(curve.measured.size() == 4);
  for (const MeasuredPoint& point : curve.measured) CHECK(measured_time(point) == Approx(1e-9 * point.x));
}

TEST_CASE("the legend names the laws of the curves that have predictions") {
  const Measurement run = run_of("sort-pairwise", 1024, {{"E", 15}, {"t", 128}}, 1e-3);
  const Prediction prediction = prediction_of(1e-3, 0);
  const auto curve_with = [&](std::map<LawName, const Prediction*> predicted) {
    const Configuration one{&run, 1024, {{"E", 15}, {"t", 128}}, std::move(predicted)};
    return sweep_curve("E", {{"t", 128}}, {&one});
  };
  const SweepCurve measured = curve_with({}), counted = curve_with({{LawName::counted, &prediction}}),
                   published = curve_with({{LawName::published, &prediction}});
  const auto legend = [](const Figure& figure) {
    std::string laws;
    for (const Layer& layer : figure.layers)
      if (layer.label.starts_with("predicted, ")) laws += layer.label;
    return laws;
  };
  const auto over_parameter = [&](const std::vector<SweepCurve>& curves) {
    return legend(sweep_figure("id", "title", {.label = "E"}, curves));
  };
  CHECK(over_parameter({measured}) == "");
  CHECK(over_parameter({measured, counted}) == "predicted, counted");
  CHECK(over_parameter({measured, published, measured}) == "predicted, published");
  CHECK(over_parameter({counted, published}) == "predicted, published or counted");

  const auto over_n = [&](const std::vector<SweepCurve>& curves) {
    std::vector<ThroughputCurve> all;
    for (const SweepCurve& curve : curves) {
      all.push_back({curve.label, {}, curve.measured, 0});
      if (!curve.predicted.empty()) all.back().predicted = {{curve.law, curve.predicted}};
    }
    return legend(throughput_figure("id", "title", all));
  };
  CHECK(over_n({measured, measured}) == "");
  CHECK(over_n({measured, counted}) == "predicted, counted");
  CHECK(over_n({counted, published, measured}) == "predicted, published or counted");
}

TEST_CASE("where the time goes, law counted: launches, then the longest part, then what exceeds it") {
  const auto all = drawn(sample_input(), FigureKind::terms, 2);
  CHECK(span(all[0], "launches").second == Approx(10));
  CHECK(span(all[0], "DRAM").first == Approx(10));
  CHECK(span(all[0], "DRAM").second == Approx(80));
  CHECK(span(all[0], "ALU").second == Approx(100));
  CHECK_FALSE(find_layer(all[0], "FMA"));
  CHECK_FALSE(find_layer(all[0], "other"));
  // 5 measured values of E at 2^22 elements, of which E = 7 takes 0.9 of 500 µs.
  const auto [low, high] = span(all[1], "DRAM");
  CHECK(high - low == Approx(0.7 * 450));
  CHECK(find_layer(all[1], "DRAM")->points.size() == 5);
}

TEST_CASE("where the time goes, law published: the levels, whose sum is the time") {
  ReportInput input = sample_input();
  input.comparisons.erase(input.comparisons.begin());
  const Figure figure = first(input, FigureKind::terms);
  CHECK(span(figure, "shared").first == Approx(700. / 9));
  CHECK(span(figure, "shared").second == Approx(100));
}

TEST_CASE("small parts of the time are shown together") {
  ReportInput input = sample_input();
  for (ComparedRun& run : input.comparisons[0].comparison.runs)
    if (run.predicted)
      for (std::size_t i = 0; i < all_resources.size(); ++i)
        run.predicted->resources->alone_s[i] = (i + 1.) / 100 * run.predicted->time_s;
  // Launches take 10 % and resources 1 to 12 %: seven parts remain.
  const auto [low, high] = span(first(input, FigureKind::terms), "other");
  CHECK(high - low == Approx(1 + 2 + 3 + 4 + 5 + 6));
}

TEST_CASE("where the time goes names the bottleneck of each range of sizes if it is known") {
  ReportInput input;
  input.profile.name = "h200";
  for (int k = 10; k <= 13; ++k) {
    PredictionReport report{.algorithm = "sort-pairwise",
                            .device = "h200",
                            .law = LawName::counted,
                            .problem = {.n = std::exp2(k)},
                            .prediction = counted_prediction_of(1e-5)};
    report.prediction.bound = k < 12 ? Bound{{}, 1e-6} : Bound{Resource::dram, 5e-7};
    input.predictions.push_back(report);
  }
  CHECK_THAT(first(input, FigureKind::terms).description,
             Contains("The bottleneck is launches up to n = 2^11, then DRAM: there, at n = "
                      "2^13, 10 % faster saves 5.00 %."));
}

TEST_CASE("predictions come with the interval of the first law, and points without work are counted") {
  ReportInput input = sample_input();
  const auto throughput = [&] { return first(input, FigureKind::throughput); };
  CHECK(find_layer(throughput(), "95 % interval")->colour ==
        find_layer(throughput(), "predicted, counted")->colour);
  CHECK(find_layer(throughput(), "predicted, published"));
  CHECK(throughput().note.empty());
  auto& lost = input.comparisons[0].comparison.runs[0];
  REQUIRE(lost.run->algorithm == "sort-pairwise");
  lost.predicted.reset();
  input.unpredicted.push_back({.algorithm = "sort-pairwise",
                               .law = LawName::counted,
                               .problem = lost.run->problem,
                               .measured = true,
                               .why = "install it"});
  CHECK_THAT(throughput().note, Contains("1 point without a prediction"));
  CHECK(find_layer(throughput(), "predicted, counted")->points.size() == 6);
  CHECK_THAT(svg(throughput()), Contains("1 point without a prediction"));
  const auto parity = figures(input, FigureKind::parity);
  CHECK_THAT(std::get<Figure>(parity[0]).note, Contains("1 point"));
  CHECK(std::get<Figure>(parity[1]).note.empty());
}

TEST_CASE("predictions are drawn over the measured times, against n, with a band at 5 % of equality") {
  const Figure figure = first(sample_input(), FigureKind::parity);
  CHECK(figure.x.label == "n (elements)");
  const auto& points = find_layer(figure, "sort-pairwise")->points;
  REQUIRE(points.size() == 11);
  CHECK(points[0].x == 0x1p16);
  for (const reports::Point& point : points) CHECK(point.y == Approx(0.9));
  for (const reports::Point& point : find_layer(figure, "±5 %")->points) {
    CHECK(point.low == Approx(0.95));
    CHECK(point.high == Approx(1.05));
  }
}

TEST_CASE("eight curves have eight colours, none of them that of lines to compare with") {
  std::set<Colour> colours;
  for (std::size_t k = 0; k < 8; ++k) {
    colours.insert(nth_colour(k));
    CHECK(nth_dash(k) == 0);
  }
  CHECK(colours.size() == 8);
  CHECK_FALSE(colours.contains(Colour::grey));
  CHECK_FALSE(colours.contains(Colour::white));
  CHECK(nth_dash(8) != 0);
}

TEST_CASE("the shares of the time add up to it, whether parts overlap or wait for each other") {
  const auto at = [](const TimeShares& shares, Resource resource) {
    return shares.resource_s[std::size_t(resource)];
  };
  const auto sum = [](const TimeShares& shares) {
    double seconds = shares.launch_s + shares.in_turn_s;
    for (const double one : shares.resource_s) seconds += one;
    for (const double one : shares.level_s) seconds += one;
    return seconds;
  };
  // 0.1 launches, 0.7 DRAM, and of 0.4 ALU what is left.
  Prediction prediction = counted_prediction_of(1);
  CHECK(time_shares(prediction).launch_s == Approx(0.1));
  CHECK(at(time_shares(prediction), Resource::dram) == Approx(0.7));
  CHECK(at(time_shares(prediction), Resource::alu) == Approx(0.2));
  CHECK(sum(time_shares(prediction)) == Approx(1));
  prediction.time_s = 1.5;
  CHECK(time_shares(prediction).in_turn_s == Approx(0.3));
  CHECK(sum(time_shares(prediction)) == Approx(1.5));
  const TimeShares levels = time_shares(prediction_of(3, 1));
  CHECK(levels.level_s[std::size_t(Level::global)] == Approx(3));
  CHECK(levels.level_s[std::size_t(Level::shared)] == Approx(1));
  CHECK(levels.in_turn_s == 0);
}

TEST_CASE("only the law that is fitted to runs shows which may be fitted") {
  ReportInput input = sample_input();
  for (const LawName law : {LawName::counted, LawName::fitted}) {
    input.comparisons[0].law = law;
    const bool has_hollow = find_layer(first(input, FigureKind::parity), "hollow: may be fitted");
    CHECK(has_hollow == (law == LawName::fitted));
  }
}

TEST_CASE("inputs stand side by side at the size with the most runs, with one set of parameters each") {
  std::vector<Measurement> runs{
      run_of("sort-pairwise", 1e6, {{"t", 128}}, 1e-3), run_of("sort-pairwise", 1e6, {{"t", 128}}, 2e-3),
      run_of("sort-pairwise", 1e6, {{"t", 256}}, 1e-4),  // faster, but of one input only
      run_of("cub-merge", 1e6, {}, 5e-4), run_of("cub-merge", 2e6, {}, 5e-4)};
  runs[1].input = Input::zipf;
  const Figure figure = drawn(input_of(runs), FigureKind::inputs, 1)[0];
  CHECK(figure.title == "sort, u32 by input, n = 1e6, on ");
  REQUIRE(figure.x.ticks.size() == 2);
  CHECK(figure.x.ticks[0].label == "random");
  CHECK(figure.x.ticks[1].label == "zipf");
  const auto& points = find_layer(figure, "sort-pairwise")->points;
  REQUIRE(points.size() == 2);
  CHECK(points[0].y == Approx(1));
  CHECK(points[1].y == Approx(0.5));
  CHECK(points[1].x - points[0].x == Approx(1));
  CHECK(find_layer(figure, "cub-merge")->points.size() == 1);
  CHECK_FALSE(find_layer(figure, "predicted"));
}

TEST_CASE("types stand side by side, keys before pairs before stable pairs, each with its fastest run") {
  ReportInput input = input_of({});
  auto& runs = input.datasets[0].runs;
  const auto add = [&](KeyAndValue type, bool stable, double seconds) {
    runs.push_back(run_of("sort-pairwise", 1e6, {{"t", int(1e5 * seconds)}}, seconds));
    runs.back().problem.type = type.key;
    runs.back().problem.value_type = type.value;
    runs.back().problem.stable = stable;
  };
  add({ElementType::u32, ElementType::u32}, true, 4e-3);
  add({ElementType::u32, ElementType::u32}, false, 2e-3);
  add({ElementType::f64, {}}, false, 2e-3);
  add({ElementType::f64, {}}, false, 1e-3);
  input.comparisons = {{LawName::counted, {}}};
  input.comparisons[0].comparison.runs = {{&runs[3], 1e-3, counted_prediction_of(2e-3), {}, false}};
  const Figure figure = first(input, FigureKind::types);
  std::vector<std::string> labels;
  for (const Tick& tick : figure.x.ticks) labels.push_back(tick.label);
  CHECK(labels == std::vector<std::string>{"f64", "u32:u32", "u32:u32 stable"});
  CHECK(find_layer(figure, "sort-pairwise")->points[0].y == Approx(1));
  const Layer& predicted = figure.layers[0];
  CHECK(predicted.hollow);
  REQUIRE(predicted.points.size() == 1);
  CHECK(predicted.points[0].y == Approx(0.5));
  CHECK_THAT(svg(figure), Contains("u32:u32 stable"));
}
