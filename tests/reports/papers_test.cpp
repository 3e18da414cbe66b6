// SPDX-License-Identifier: Apache-2.0
// Figures of the papers: their numbers are the law's, or the formulas' worked by hand.
#include "samples.h"

#include <fathom/algorithms/registry.h>
#include <fathom/calibration/predictor.h>
#include <fathom/calls/predicting/papers.h>
#include <fathom/reports/figures/papers.h>

#include <catch2/catch.hpp>

using namespace fathom;
using namespace fathom::reports;
using Catch::Matchers::Contains;

namespace {

const std::vector<LawName> default_laws{LawName::counted, LawName::published};
const Progress silent = [](auto&&...) {};

PaperFigures papers_on(const DeviceProfile& profile, const std::vector<Dataset>& datasets = {}) {
  const WorkLookup work = profile.architecture ? shipped_work() : calls::known_work_lookup(profile);
  return calls::paper_figures({profile, default_laws, work, silent}, datasets);
}

/// Without runs, on the H200; counting takes seconds.
const PaperFigures& unmeasured() {
  static const PaperFigures papers = papers_on(built_in_profile("h200"));
  return papers;
}

/// With some runs of the figures.
const PaperFigures& measured_ones() {
  static const PaperFigures papers = [] {
    Dataset runs;
    for (const int t : {128, 256})
      for (const double n : {1e8, 2e8})
        for (int E = 3; E <= 47; ++E)
          runs.runs.push_back(run_of("sort-pairwise", n, {{"E", E}, {"t", t}}, 1e-3 * (100 - E) * n / 1e8));
    for (const int d : {2, 3, 4, 5, 6, 7}) {  // six values of eight
      runs.runs.push_back(run_of("radix-lsd", 0x1p24, {{"t", 128}, {"d", d}, {"E", 23}}, 1e-3));
      runs.runs.back().problem.type = ElementType::u32;
      runs.runs.back().problem.value_type = ElementType::u32;
    }
    for (const int K : {2, 4, 8})  // three of five are too few
      runs.runs.push_back(run_of("sort-mms-shuffles", 1e8, {{"K", K}}, 1e-3));
    for (const int d : {4, 5}) {  // only the first has the digit of the thread-cycles
      runs.runs.push_back(run_of("radix-lsd", 0x1p24, {{"t", 128}, {"d", d}, {"E", 23}}, 4e-3 / d));
      runs.runs.back().problem.type = ElementType::u32;
    }
    return papers_on(built_in_profile("h200"), {runs});
  }();
  return papers;
}

const PaperSweep& sweep_of(const PaperFigures& papers, const std::string& algorithm) {
  const auto found = std::ranges::find_if(
      papers.sweeps, [&](const PaperSweep& sweep) { return sweep.here.algorithm == algorithm; });
  REQUIRE(found != papers.sweeps.end());
  return *found;
}

const Layer& layer_of(const Figure& figure, const std::string& start) {
  const auto found =
      std::ranges::find_if(figure.layers, [&](const Layer& layer) { return layer.label.starts_with(start); });
  REQUIRE(found != figure.layers.end());
  return *found;
}

}  // namespace

TEST_CASE("the papers' sweeps are the law's predictions for their GPUs", "[counts]") {
  const PaperFigures& papers = unmeasured();
  REQUIRE(papers.sweeps.size() == 5);
  for (const PaperSweep& sweep : papers.sweeps)
    for (const TradeOff& gpu : sweep.papers) {
      INFO(gpu.algorithm << " on " << gpu.device);
      REQUIRE(gpu.predicted.size() == 1);
      CHECK(gpu.predicted[0].name == LawName::published);
      const Descriptor& algorithm = *find_descriptor(gpu.algorithm);
      const TradeOff::Point& last = gpu.predicted[0].points.back();
      Problem problem = gpu.problem;
      problem.parameters.set(gpu.parameter, last.value);
      const DeviceProfile profile = built_in_profile(gpu.device);
      CHECK(last.prediction.time_s ==
            Predictor(profile, algorithm, Law{.law = LawName::published})(problem).time_s);
    }

  const PaperSweep& pairwise = sweep_of(papers, "sort-pairwise");
  CHECK(pairwise.paper == "karsin2018 §4.1");
  CHECK(pairwise.setting == "n = 1e8, u32, t = 128");
  CHECK(pairwise.bench ==
        "fathom bench sort-pairwise --sizes 1e8 --set t=128 --set E=3..47 -o sort-pairwise.json");
  const Figure figure = paper_sweep_figure(pairwise);
  CHECK(figure.layers.empty());
  REQUIRE(figure.panels.size() == 2);
  CHECK(figure.panels[0].y.label == "time (ms)");
  // T_g + T_s at E = 15 as docs/papers.md has them: 87.41 + 55.69 ms.
  const Layer& m4000 = layer_of(figure.panels[0], "m4000: best E = ");
  CHECK(m4000.points[12].x == 15);
  CHECK(m4000.points[12].y == Approx(87.41 + 55.69).epsilon(1e-3));
  CHECK(layer_of(figure.panels[1], "predicted, counted: best E = ").points.size() == 45);

  // The best K of docs/papers.md.
  const Figure mms = paper_sweep_figure(sweep_of(papers, "sort-mms-shuffles"));
  for (const char* best : {"m4000: best K = 16", "gtx770: best K = 8", "k40m: best K = 8"})
    CHECK(layer_of(mms.panels[0], best).points.size() == 5);
  REQUIRE(mms.panels.size() == 2);
  CHECK(mms.panels[1].note.empty());
  CHECK(layer_of(mms.panels[1], "predicted, counted").points.size() == 5);
}

TEST_CASE("runs of a paper's sweep are drawn beside it, preferably at its n and parameters", "[counts]") {
  const DeviceProfile h200 = built_in_profile("h200");
  const PaperFigures& papers = measured_ones();
  const TradeOff& here = sweep_of(papers, "sort-pairwise").here;
  CHECK(here.problem.n == 1e8);
  CHECK(here.problem.parameters.at("t") == 128);
  const Figure figure = paper_sweep_figure(sweep_of(papers, "sort-pairwise"));
  const Layer& measured = layer_of(figure.panels.at(1), "measured, quartiles: best E = 47");
  REQUIRE(measured.points.size() == 45);
  CHECK(measured.points[0].y == Approx(97));
  CHECK(sweep_of(papers, "radix-lsd").here.measured.size() == 6);
  CHECK(sweep_of(papers, "sort-mms-shuffles").here.measured.empty());

  ReportInput input;
  input.profile = h200;
  input.papers = papers;
  std::vector<std::string> commands;
  for (const auto& one : paper_figures(input))
    if (const auto* missing = std::get_if<Missing>(&one)) commands.push_back(missing->command);
  REQUIRE(commands.size() == 3);  // sort-multiway-separators, sort-mms-shuffles, scan-matrix
  CHECK_THAT(commands[1], Contains("fathom bench sort-mms-shuffles --sizes 1e8 --set K=2,4,8,16,32"));
}

TEST_CASE("a plateau is max(1/B, L/(X·I)) of the paper's constants, beside samples of the profile") {
  const DeviceProfile h200 = built_in_profile("h200");
  const PaperFigures& papers = unmeasured();
  REQUIRE(papers.plateaus.size() == 3);
  const Figure global = paper_plateaus_figure(papers.plateaus[0], h200);
  REQUIRE(global.panels.size() == 2);
  for (const auto& [label, I] : {std::pair{"m4000, I = 1", 1.}, {"m4000, I = 4", 4.}})
    for (const reports::Point& point : layer_of(global.panels[0], label).points)
      CHECK(point.y == Approx(1 / std::max(1 / 0.0301, 269.5 / (point.x * I))));
  const auto& k40m = layer_of(global.panels[0], "k40m, I = 2").points;
  CHECK(k40m.front().x == 0.25);
  CHECK(k40m.back().x == Approx(2048 / 192.));  // the threads that a multiprocessor holds
  CHECK(k40m.back().y == Approx(0.0275));
  for (const char* label : {"measured, I = 1", "measured, I = 2", "measured, I = 4"})
    CHECK(layer_of(global.panels[1], label).points.size() > 5);
  CHECK(paper_plateaus_figure(papers.plateaus[0], built_in_profile("m4000")).panels.size() == 1);
}

TEST_CASE(
    "thread-cycles on the GTX 285 add up to the paper's 723 per pair, and 2.7 times in the older scheme") {
  const DeviceProfile h200 = built_in_profile("h200");
  const PaperCycles cycles = measured_ones().cycles.at(0);
  const auto sum = [](const PaperCycles::Sort& sort) {
    double cycles = 0;
    for (const auto& part : sort.parts) cycles += part.cycles;
    return cycles;
  };
  REQUIRE(cycles.papers.sorts.size() == 4);
  CHECK(cycles.papers.sorts[1].label == "radix-lsd, u32:u32");
  CHECK(sum(cycles.papers.sorts[1]) == Approx(723));
  CHECK(cycles.papers.sorts[1].parts[1].cycles == Approx(8 * 67.4));
  CHECK(sum(cycles.papers.sorts[3]) == Approx(2.7 * 723));
  const auto& measured = cycles.here.sorts.at(0).measured;
  REQUIRE(measured);
  CHECK(measured->median == Approx(1e-3 * h200.machine.clock.value * 132 * 128 / 0x1p24));
  CHECK(cycles.here.sorts.at(1).measured->median == Approx(measured->median));
  CHECK_FALSE(cycles.here.sorts.at(2).measured);

  const Figure figure = paper_cycles_figure(cycles);
  REQUIRE(figure.panels.size() == 2);
  const Layer& scatter = layer_of(figure.panels[0], "scan-and-scatter");
  CHECK(scatter.points.at(1).high == Approx(723));
  CHECK(scatter.points.at(1).low == Approx(723 - 8 * 67.4));
}

TEST_CASE("the heaps of GPU-MMS have no bank conflicts whatever the order, the pairwise merges have") {
  const PaperConflicts& conflicts = unmeasured().conflicts.at(0);
  REQUIRE(conflicts.sweeps.size() == 2);
  for (const auto& [degree, beta] : conflicts.sweeps[0].conflicts) CHECK(beta > 2);
  REQUIRE(conflicts.sweeps[1].conflicts.size() == 5);
  for (const auto& [degree, beta] : conflicts.sweeps[1].conflicts) CHECK(beta == 1);
  CHECK_THAT(paper_conflicts_figure(conflicts).note, Contains("sort-mms-shuffles: K = 16"));
}

TEST_CASE("on a GPU with published constants only the papers' figures have no work and no samples",
          "[counts]") {
  const DeviceProfile m4000 = built_in_profile("m4000");
  ReportInput input;
  input.profile = m4000;
  input.papers = papers_on(m4000);
  std::size_t missing = 0;
  for (const auto& one : paper_figures(input)) missing += std::holds_alternative<Missing>(one);
  CHECK(missing == 5 + 3);
  CHECK(input.papers.cycles[0].here.sorts.empty());
}
