// SPDX-License-Identifier: Apache-2.0
// Sorts over sortedness and entropy: which runs are chosen, what is predicted and counted, and how it is
// drawn.
#include "samples.h"

#include <fathom/calls/predicting/degree_sweep.h>
#include <fathom/calls/predicting/prediction.h>
#include <fathom/counting/count.h>
#include <fathom/reports/figures/degrees.h>

#include <catch2/catch.hpp>

using namespace fathom;
using namespace fathom::reports;
using Catch::Matchers::Contains;

namespace {

const std::vector<LawName> published{LawName::published};
const Progress silent = [](auto&&...) {};
const WorkLookup no_work = [](auto&&...) -> std::shared_ptr<const AlgorithmWork> {
  throw WorkUnavailable("install it");
};

std::vector<DegreeSweep> sweeps_of(const std::vector<Measurement>& runs,
                                   const std::vector<const Algorithm*>& unmeasured = {},
                                   Input::Pattern pattern = Input::sortedness,
                                   const std::vector<LawName>& laws = published) {
  const DeviceProfile profile = built_in_profile("h200");
  return calls::degree_sweeps({profile, laws, no_work, silent}, pattern, {Dataset{{}, runs}}, unmeasured);
}

Measurement sorted_by(double degree, const std::string& algorithm, double n, Parameters parameters,
                      double seconds) {
  Measurement run = run_of(algorithm, n, std::move(parameters), seconds);
  run.input = Input(Input::sortedness, degree);
  return run;
}

}  // namespace

TEST_CASE("a pattern with a degree has a name without it, and others are refused with the choices") {
  CHECK(pattern_name(Input::sortedness) == "sortedness");
  CHECK(pattern_name(Input::entropy) == "entropy");
  CHECK(calls::parse_pattern_with_degree("entropy") == Input::entropy);
  for (const char* wrong : {"zipf", "", "sortedness=0.5"})
    CHECK_THROWS_WITH(calls::parse_pattern_with_degree(wrong), Contains("choose sortedness or entropy"));
  for (const Input& input : all_inputs) CHECK_FALSE(has_degree(input));
  for (const Input::Pattern pattern : calls::patterns_with_degree()) CHECK(has_degree(Input(pattern, 0.5)));
}

TEST_CASE("runs shown are at the n with the most, with the parameters of the most degrees") {
  const Parameters usual{{"E", 17}, {"t", 256}}, other{{"E", 15}, {"t", 128}};
  std::vector<Measurement> runs;
  for (const double degree : {1.0, 0.0, 0.5})
    runs.push_back(sorted_by(degree, "sort-pairwise", 4096, usual, 1e-4 * (1 + degree)));
  runs.push_back(sorted_by(0, "sort-pairwise", 4096, other, 1e-6));  // faster, but at one degree less
  runs.push_back(sorted_by(1, "sort-pairwise", 4096, other, 1e-6));
  runs.push_back(sorted_by(0, "cub-merge", 4096, {}, 2e-4));
  runs.push_back(sorted_by(1, "cub-merge", 4096, {}, 2e-4));
  runs.push_back(sorted_by(0, "sort-warp", 4096, {{"E", 8}, {"K", 2}, {"t", 128}}, 1e-4));  // one degree only
  runs.push_back(sorted_by(0, "sort-pairwise", 8192, usual, 1e-4));  // larger, but fewer runs
  runs.push_back(sorted_by(1, "sort-pairwise", 8192, usual, 1e-4));
  const auto sweeps = sweeps_of(runs);
  REQUIRE(sweeps.size() == 2);
  const DegreeSweep& cub = sweeps[0];
  CHECK(cub.algorithm == "cub-merge");
  CHECK(cub.predicted.empty());
  CHECK(cub.conflicts.empty());  // no kernels of ours
  const DegreeSweep& pairwise = sweeps[1];
  CHECK(pairwise.problem.n == 4096);
  CHECK(pairwise.problem.parameters == usual);
  REQUIRE(pairwise.measured.size() == 3);
  CHECK(pairwise.measured[1].degree == 0.5);
  CHECK(pairwise.measured[1].seconds.median == Approx(1.5e-4));
  CHECK(pairwise.conflicts.size() == 3);

  ReportInput input;
  input.degree_sweeps = sweeps;
  const auto all = degree_figures(input);
  REQUIRE(all.size() == 2);
  const Figure& time = std::get<Figure>(all[0]);
  CHECK(time.title == "sorts of u32 by sortedness: time, n = 2^12, on h200");
  CHECK(time.y.label == "time (µs)");
  const auto measured = std::ranges::find(time.layers, "sort-pairwise", &Layer::label);
  REQUIRE(measured != time.layers.end());
  CHECK(measured->style == Style::points);
  CHECK(measured->points[2].x == 1);
  CHECK(measured->points[2].y == Approx(200));
  CHECK(std::ranges::count(time.layers, "measured", &Layer::label) == 1);
}

TEST_CASE("without runs the times are those of predict, and the conflicts those of count") {
  const DeviceProfile profile = built_in_profile("h200");
  const Algorithm& pairwise = algorithm("sort-pairwise");
  const auto sweeps = sweeps_of({}, {&pairwise}, Input::entropy, {LawName::counted, LawName::published});
  REQUIRE(sweeps.size() == 1);
  const DegreeSweep& sweep = sweeps[0];
  CHECK(sweep.measured.empty());
  REQUIRE(sweep.predicted.size() == 1);  // there is no work for the law counted
  CHECK(sweep.predicted[0].name == LawName::published);
  REQUIRE(sweep.predicted[0].points.size() == 5);
  Predictor predictor(profile, pairwise, Law{.law = LawName::published}, {},
                      calls::conflict_lookup(profile, silent));
  for (const std::size_t k : {0, 4})
    CHECK(sweep.predicted[0].points[k].prediction.time_s ==
          predictor(pairwise.problem(0x1p26), Input(Input::entropy, sweep.predicted[0].points[k].degree))
              .time_s);
  REQUIRE(sweep.conflicts.size() == 5);
  const Case equal_keys{&pairwise, pairwise.problem(sweep.counted_n), Input(Input::entropy, 0)};
  CHECK(sweep.conflicts[0].beta ==
        calls::conflict_of_reads(count(equal_keys, counting_device(profile.machine, equal_keys)).kernels));
  // A thread's equal keys lie E words from the next thread's, and E is odd; random ones lie anywhere.
  CHECK(sweep.conflicts[0].beta < sweep.conflicts[4].beta);
}

TEST_CASE("a sort by networks reads without conflicts and takes the same time, whatever the input") {
  const auto sweeps = sweeps_of({}, {&algorithm("sort-warp")});
  REQUIRE(sweeps.size() == 1);
  for (const auto& [degree, beta] : sweeps[0].conflicts) CHECK(beta == 1);
  const auto& points = sweeps[0].predicted.at(0).points;
  for (const DegreeSweep::Point& point : points)
    CHECK(point.prediction.time_s == points[0].prediction.time_s);
}

TEST_CASE("runs over a degree are not slots among the patterns") {
  ReportInput input;
  input.datasets.push_back(
      {{}, {sorted_by(0, "sort-warp", 1e6, {}, 1e-3), sorted_by(1, "sort-warp", 1e6, {}, 1e-3)}});
  const auto all = figures(input, FigureKind::inputs);
  REQUIRE(all.size() == 1);
  CHECK(std::holds_alternative<Missing>(all[0]));
}
