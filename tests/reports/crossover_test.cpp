// SPDX-License-Identifier: Apache-2.0
// Which algorithm is the fastest over n, from times whose crossing is known.
#include "samples.h"

#include <fathom/calls/predicting/crossover.h>
#include <fathom/calls/predicting/papers.h>
#include <fathom/reports/figures/crossovers.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <set>

using namespace fathom;
using namespace fathom::reports;

namespace {

std::vector<Crossover::Time> times(double seconds, double power) {
  std::vector<Crossover::Time> all;
  for (int k = 10; k <= 28; ++k) all.push_back({std::exp2(k), seconds * std::pow(std::exp2(k), power)});
  return all;
}

/// "steady" takes 10 µs, "linear" 10 ps per element: they cross at n = 10^6. "slow" takes twice as long as
/// "linear", and is within 10 % of the fastest nowhere.
Crossover sample() {
  Crossover of{.type = "u32", .device = "h200"};
  of.contenders.push_back({"steady", times(1e-5, 0), {}});
  of.contenders.push_back({"linear", times(1e-11, 1), {}});
  of.contenders.push_back({"slow", times(2e-11, 1), {}});
  return of;
}

std::set<std::string> labels_of(const Figure& figure) {
  std::set<std::string> texts;
  for (const Label& label : figure.labels) texts.insert(label.text);
  return texts;
}

std::set<std::string> legend_of(const Figure& figure) {
  std::set<std::string> texts;
  for (const Layer& layer : figure.layers) texts.insert(layer.label);
  texts.erase("");
  return texts;
}

}  // namespace

TEST_CASE("a reign ends where the times cross") {
  const std::vector<Reign> all = reigns(sample(), predicted_times);
  REQUIRE(all.size() == 2);
  CHECK(all[0].algorithm == "linear");
  CHECK(all[0].from == 0x1p10);
  CHECK(all[0].to == Approx(1e6));
  CHECK(all[1].algorithm == "steady");
  CHECK(all[1].from == all[0].to);
  CHECK(all[1].to == 0x1p28);
  CHECK(reigns(sample(), measured_times).empty());
  CHECK(reigns({}, predicted_times).empty());
}

TEST_CASE("without a time at the other's n, a reign ends in the middle") {
  Crossover of;
  of.contenders = {{"small", {{1024, 1e-6}}, {}}, {"large", {{4096, 1e-6}}, {}}};
  CHECK(reigns(of, predicted_times).at(0).to == Approx(2048));
}

TEST_CASE("the figure names the fastest, where it changes, and no algorithm that is far off everywhere") {
  const Figure figure = crossover_figure(sample());
  CHECK(figure.id == "crossover-sort-u32");
  CHECK(labels_of(figure) == std::set<std::string>{"1 linear", "1e6", "2 steady"});
  CHECK(legend_of(figure) == std::set<std::string>{"1 linear", "2 steady", "predicted, counted"});
  for (const auto& point : figure.layers.at(0).points)
    CHECK(point.y == Approx(100 * std::min(1., 1e6 / point.x)));
}

TEST_CASE("measured runs have a strip of their own") {
  Crossover of = sample();
  of.contenders[2].measured = {{0x1p20, 1e-6}, {0x1p22, 1e-6}};
  of.contenders[0].measured = {{0x1p20, 2e-6}, {0x1p22, 2e-6}};
  const Figure figure = crossover_figure(of);
  CHECK(legend_of(figure).contains("3 slow"));
  CHECK(legend_of(figure).contains("measured"));
  CHECK(figure.y.ticks.back().label == "measured");
}

TEST_CASE("predictions of the shipped tables are those of each algorithm alone, and runs are found") {
  const DeviceProfile profile = built_in_profile("h200");
  const std::vector<const Algorithm*> asked{&algorithm("scan-lookback"), &algorithm("scan-matrix")};
  Dataset dataset;
  const Parameters usual = asked[1]->default_parameters();
  dataset.runs = {run_of("scan-matrix", 4096, usual, 2e-6), run_of("scan-matrix", 4096, usual, 1e-6),
                  run_of("scan-matrix", 8192, usual, 1e-6)};
  dataset.runs[2].checked = false;
  const WorkLookup work = calls::known_work_lookup(profile);
  const Progress silent = [](auto&&...) {};
  const auto [of, unpredicted, missing] =
      calls::crossover({profile, LawName::counted, work, silent}, asked, ElementType::u32, {dataset});
  CHECK(unpredicted.empty());
  CHECK(missing.empty());
  CHECK(of.kind == Kind::scan);
  REQUIRE(of.contenders.size() == 2);
  for (std::size_t k = 0; k < 2; ++k) {
    CHECK(of.contenders[k].predicted.size() == 19);
    Predictor predictor(profile, *asked[k], Law{.law = LawName::counted}, work);
    for (const auto& [n, seconds] : of.contenders[k].predicted)
      CHECK(seconds == predictor(asked[k]->problem(n)).time_s);
  }
  CHECK(of.contenders[0].measured.empty());
  REQUIRE(of.contenders[1].measured.size() == 1);
  CHECK(of.contenders[1].measured[0].n == 4096);
  CHECK(of.contenders[1].measured[0].seconds == Approx(1e-6));
  const auto pairs = calls::crossover({profile, LawName::counted, work, silent}, asked,
                                      {{ElementType::u32, ElementType::u32}, false}, {});
  CHECK(pairs.crossover.contenders.empty());  // scans take no values
}
