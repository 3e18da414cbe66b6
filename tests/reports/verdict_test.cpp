// SPDX-License-Identifier: Apache-2.0
#include "samples.h"

#include <fathom/reports/side_by_side.h>
#include <fathom/reports/verdict.h>

#include <catch2/catch.hpp>

using namespace fathom;
using namespace fathom::reports;

namespace {

/// A dataset and its comparison by the law counted, which predicts every run of ours `factor` times as long.
struct Compared {
  Dataset dataset;
  std::vector<LawComparison> comparisons;

  Compared(std::vector<Measurement> runs, double factor) : dataset{{}, std::move(runs)} {
    LawComparison law{LawName::counted, {}};
    for (const Measurement& run : dataset.runs) {
      ComparedRun one{&run, quartiles(run.seconds).median, {}, {}, false};
      if (!run.algorithm.starts_with("cub-")) {
        one.predicted = counted_prediction_of(factor * one.measured_s);
        one.relative_error = factor - 1;
      }
      law.comparison.runs.push_back(one);
    }
    comparisons.push_back(std::move(law));
  }
  ComparedRun& run(std::size_t k) { return comparisons[0].comparison.runs[k]; }
};

const Parameters usual{{"E", 17}, {"t", 256}}, other{{"E", 11}, {"t", 256}};

}  // namespace

TEST_CASE("a verdict compares with the baseline at the largest n that both have, by the fastest runs") {
  Compared input(
      {run_of("sort-pairwise", 1 << 20, usual, 3e-3), run_of("sort-pairwise", 1 << 20, other, 2e-3),
       run_of("sort-pairwise", 1 << 22, usual, 9e-3), run_of("cub-merge", 1 << 20, {}, 3e-3),
       run_of("cub-merge", 1 << 18, {}, 1e-3), run_of("cub-radix", 1 << 22, {}, 1e-3)},
      1.1);
  const std::vector<Verdict> all = verdicts(input.comparisons);
  REQUIRE(all.size() == 1);
  REQUIRE(all[0].speed.value);
  CHECK(all[0].speed.value->baseline == "cub-merge");
  CHECK(all[0].speed.value->n == 1 << 20);
  CHECK(all[0].speed.value->ratio == Approx(1.5));
  CHECK(all[0].speed.value->parameters == other);
  REQUIRE(all[0].best.value);
  CHECK(all[0].best.value->n == 1 << 20);
  CHECK(all[0].best.value->choices == 2);
  CHECK(all[0].best.value->seconds == Approx(2e-3));
  CHECK(*all[0].error.value == Approx(0.1));
  CHECK(*all[0].coverage.value == Approx(1));
}

TEST_CASE("a verdict gives one prediction beside its measured time: at default parameters, the largest n") {
  Compared input(
      {run_of("sort-pairwise", 1 << 20, usual, 3e-3), run_of("sort-pairwise", 1 << 22, other, 8e-3),
       run_of("sort-pairwise", 1 << 22, usual, 9e-3)},
      1.1);
  const auto compared = verdicts(input.comparisons).at(0).compared.value;
  REQUIRE(compared);
  CHECK(compared->n == 1 << 22);
  CHECK(compared->parameters == usual);
  CHECK(compared->measured_s == Approx(9e-3));
  CHECK(compared->predicted_s == Approx(9.9e-3));
  CHECK(compared->error() == Approx(0.1));
}

TEST_CASE("the mean over algorithms counts each alike, however many runs it has") {
  std::vector<Measurement> runs;
  for (const double n : {1 << 10, 1 << 20, 1 << 21}) runs.push_back(run_of("sort-pairwise", n, usual, 1e-3));
  runs.push_back(run_of("scan-lookback", 1 << 20, {}, 1e-3));
  Compared input(std::move(runs), 1);
  Comparison& comparison = input.comparisons[0].comparison;
  CHECK_FALSE(mean_errors(comparison).over_algorithms);
  const double errors[] = {0.3, 0.1, -0.2, -0.05};
  for (std::size_t k = 0; k < 4; ++k) {
    input.run(k).held_out = true;
    input.run(k).relative_error = errors[k];
  }
  CHECK(mean_errors(comparison).over_runs.at("sort-pairwise") == Approx(0.2));
  CHECK(*mean_errors(comparison).over_algorithms == Approx((0.2 + 0.05) / 2));
  CHECK(*mean_errors(comparison, 1 << 20).over_algorithms == Approx((0.15 + 0.05) / 2));
}

TEST_CASE("radix and distribution sorts are compared with the radix sort, sums with their own baseline") {
  Compared input({run_of("radix-onesweep", 4096, {}, 1e-3), run_of("sort-splitter", 4096, {}, 2e-3),
                  run_of("scan-lookback", 4096, {}, 1e-3), run_of("reduce-vector", 4096, {}, 1e-3),
                  run_of("cub-radix", 4096, {}, 4e-3), run_of("cub-merge", 4096, {}, 9e-3),
                  run_of("cub-scan", 4096, {}, 3e-3), run_of("cub-reduce", 4096, {}, 5e-3)},
                 1);
  std::map<std::string, double> ratios;
  for (const Verdict& one : verdicts(input.comparisons)) ratios[one.algorithm] = one.speed.value->ratio;
  CHECK(ratios == std::map<std::string, double>{{"radix-onesweep", 4e-3 / 1e-3},
                                                {"sort-splitter", 4e-3 / 2e-3},
                                                {"scan-lookback", 3e-3 / 1e-3},
                                                {"reduce-vector", 5e-3 / 1e-3}});
}

TEST_CASE("errors and coverage are of runs that no fit may use; large n have their own") {
  Compared input(
      {run_of("sort-pairwise", 1 << 10, usual, 1e-3), run_of("sort-pairwise", 1 << 20, usual, 1e-3),
       run_of("sort-pairwise", 1 << 21, usual, 1e-3)},
      1);
  input.run(0).relative_error = 0.3;
  input.run(0).predicted->interval_s = Interval{2e-3, 3e-3};
  input.run(1).relative_error = -0.1;
  input.run(2).relative_error = 5;
  input.run(2).fitted = true;
  const Verdict one = verdicts(input.comparisons).at(0);
  CHECK(*one.error.value == Approx(0.2));
  CHECK(*one.error_large.value == Approx(0.1));
  CHECK(*one.coverage.value == Approx(0.5));
}

TEST_CASE("the limit is that of the explained prediction at default parameters") {
  Compared input(
      {run_of("sort-pairwise", 1 << 20, usual, 2e-3), run_of("sort-pairwise", 1 << 20, other, 1e-3)}, 1);
  const auto problems = problems_to_explain(input.comparisons);
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].problem.parameters == usual);
  CHECK(verdicts(input.comparisons)[0].limit.why_not == "not explained");
  PredictionReport explained{.algorithm = "sort-pairwise",
                             .device = "h200",
                             .problem = problems[0].problem,
                             .prediction = counted_prediction_of(1e-3)};
  explained.prediction.bound = Bound{Resource::shared, 5e-5};
  const Verdict one = verdicts(input.comparisons, {explained}).at(0);
  REQUIRE(one.limit.value);
  CHECK(one.limit.value->by == "shared memory");
  CHECK(*one.limit.value->saved == Approx(0.05));
}

TEST_CASE("what is missing says why, and is never 0") {
  Measurement unchecked = run_of("sort-pairwise", 4096, usual, 1e-3);
  unchecked.checked = false;
  Compared input({run_of("reduce-vector", 4096, {{"t", 256}}, 1e-3), unchecked,
                  run_of("unheard-of", 4096, {}, 1e-3), run_of("cub-merge", 4096, {}, 1e-3)},
                 1);
  input.run(0).predicted.reset();
  const std::vector<Verdict> all = verdicts(input.comparisons);
  REQUIRE(all.size() == 3);
  CHECK(all[0].algorithm == "sort-pairwise");
  CHECK(all[0].speed.why_not == "no run that counts");
  CHECK(all[1].speed.why_not == "no run of cub-reduce");
  CHECK(all[1].best.why_not == "one choice measured");
  CHECK(all[1].error.why_not == "no prediction");
  CHECK(all[2].limit.why_not == "unknown algorithm");
  const Table table = verdict_table(all);
  for (const auto& row : table.rows())
    for (const std::string& cell : row) CHECK((!cell.empty() && cell != "0"));
  CHECK(verdicts({}).empty());
}

TEST_CASE("the headline of an algorithm is of the type with most runs") {
  std::vector<Measurement> runs{run_of("sort-pairwise", 1024, usual, 1e-6)};
  for (const double n : {1024., 2048.}) {
    runs.push_back(run_of("sort-pairwise", n, usual, 1e-6));
    runs.back().problem.type = ElementType::u64;
  }
  Compared input(std::move(runs), 1);
  const auto all = verdicts(input.comparisons), chosen = headlines(all);
  CHECK(all.size() == 2);
  REQUIRE(chosen.size() == 1);
  CHECK(chosen[0].type == "u64");
}

TEST_CASE("datasets are compared by configuration, and quartiles tell what is significant") {
  const Dataset before{
      {},
      {run_of("sort-pairwise", 1024, usual, 1e-3), run_of("sort-pairwise", 2048, usual, 1e-3),
       run_of("sort-pairwise", 4096, usual, 1e-3), run_of("cub-merge", 1024, {}, 1e-3)}};
  Dataset after{{},
                {run_of("sort-pairwise", 1024, usual, 0.5e-3), run_of("sort-pairwise", 2048, usual, 1.001e-3),
                 run_of("sort-pairwise", 4096, other, 1e-3), run_of("sort-kway", 1024, {}, 1e-3)}};
  after.runs.push_back(run_of("cub-merge", 1024, {}, 1e-3));
  after.runs.back().checked = false;
  const DatasetChange change = compare(before, after);
  REQUIRE(change.runs.size() == 2);
  CHECK(change.left_out == 1);
  std::map<std::string, const AlgorithmChange*> by_name;
  for (const AlgorithmChange& one : change.algorithms) by_name[one.algorithm] = &one;
  const AlgorithmChange& sort = *by_name.at("sort-pairwise");
  CHECK(sort.compared == 2);
  CHECK(sort.faster == 1);
  CHECK(sort.slower == 0);
  CHECK(*sort.median_ratio == Approx((0.5 + 1.001) / 2));
  CHECK(sort.best->n == 1024);
  CHECK(sort.worst->n == 2048);
  CHECK(sort.vanished == 1);
  CHECK(sort.appeared == 1);
  CHECK(by_name.at("sort-kway")->appeared == 1);
  CHECK_FALSE(by_name.at("cub-merge")->median_ratio);
  CHECK(std::get<Figure>(change_figures(change).at(0)).layers.size() == 3);
  CHECK(std::holds_alternative<Missing>(change_figures(compare({}, {})).at(0)));
}

TEST_CASE("where sizes differ, datasets are compared by interpolation between near neighbours") {
  const auto line = [](double n) { return run_of("sort-pairwise", n, usual, 1e-9 * n); };
  const auto twice = [](double n) { return run_of("sort-pairwise", n, usual, 2e-9 * n); };
  Dataset before{{}, {line(1000), line(3000), line(100000)}},
      after{{}, {twice(2000), twice(20000), twice(4e5)}};
  before.provenance.gpu = "NVIDIA A";
  after.provenance.gpu = "NVIDIA B";
  const DatasetChange change = compare(before, after);
  REQUIRE(change.runs.size() == 1);  // the others have no neighbours on both sides within a factor of 4
  CHECK(change.runs[0].n == 2000);
  CHECK(change.runs[0].ratio() == Approx(2));
  CHECK(change.runs[0].interpolated == RunChange::Interpolated::before);
  CHECK(change.algorithms.at(0).appeared == 2);
  CHECK(change.algorithms.at(0).vanished == 3);
  CHECK(change_table(change).columns().at(9).heading == "only B");
}

TEST_CASE("two GPUs are called by their models where these tell them apart") {
  const auto names = [](const char* first, const char* second) {
    Dataset before, after;
    before.provenance.gpu = first;
    after.provenance.gpu = second;
    const DatasetChange change = compare(before, after);
    return std::pair(change.first_name(), change.second_name());
  };
  CHECK(names("NVIDIA H100 80GB HBM3", "NVIDIA H200") == std::pair<std::string, std::string>("H100", "H200"));
  CHECK(names("NVIDIA H100 80GB HBM3", "NVIDIA H100 94GB") ==
        std::pair<std::string, std::string>("NVIDIA H100 80GB HBM3", "NVIDIA H100 94GB"));
  CHECK(names("NVIDIA H200", "NVIDIA H200") == std::pair<std::string, std::string>("before", "after"));
}

TEST_CASE("profiles are compared at the problems that both predict, by one law") {
  ProfilePair pair{
      .first = built_in_profile("h200"), .second = built_in_profile("m4000"), .law = LawName::published};
  const auto report = [](double n, double seconds, LawName law = LawName::published) {
    return PredictionReport{.algorithm = "sort-pairwise",
                            .device = "",
                            .law = law,
                            .problem = {.n = n},
                            .prediction = prediction_of(seconds, 0)};
  };
  pair.of_first = {report(1024, 1e-3), report(2048, 2e-3), report(4096, 1, LawName::counted)};
  pair.of_second = {report(2048, 6e-3), report(4096, 1)};
  const auto ratios = predicted_ratios(pair);
  REQUIRE(ratios.size() == 1);
  CHECK(ratios[0].seconds == std::map<double, std::pair<double, double>>{{2048, {2e-3, 6e-3}}});
  bool found = false;
  const Table constants = constants_table(pair);
  for (const auto& row : constants.rows())
    if (row[0] == "dram.read") {
      found = true;
      CHECK_THAT(row[2], Catch::Matchers::EndsWith("GB/s"));
      CHECK(row[4] == "-");  // the other was never calibrated
      CHECK(row[6] == "-");
    }
  CHECK(found);
}
