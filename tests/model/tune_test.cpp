// SPDX-License-Identifier: Apache-2.0
#include <fathom/model/laws/predict_counted.h>
#include <fathom/model/tune.h>

#include <catch2/catch.hpp>

#include "../support/machines.h"

using namespace fathom;

namespace {

/// Time decreases with E and does not depend on K; blocks of 64 threads need more shared memory than exists.
const Descriptor& tiled() {
  static const Descriptor algorithm{
      .slug = "tiled",
      .kind = Kind::sort,
      .group = "test",
      .source = "this test",
      .parameters = {{"E", "elements per thread", consecutive(1, 4), 2},
                     {"t", "threads per block", {64, 128}, 128},
                     {"K", "of no effect", {1, 2}, 1}},
      .formula = Formula{[](const Machine<double>&, const Problem& problem, const Reading&) -> Phases {
        if (problem.parameters.at("t") == 64) throw BlockTooLarge("no multiprocessor of 'complete' holds it");
        return {{.name = "tiles",
                 .multiplicity = 1,
                 .accesses = {{Level::registers, 3 * problem.n / problem.parameters.at("E")}}}};
      }}};
  return algorithm;
}

std::vector<RankedChoice> ranked(const std::vector<Parameters>& choices) {
  return rank_choices(tiled(), tiled().problem(1e8), choices,
                      [](const Problem& problem) {
                        return predict(tiled(), tests::complete_machine(), problem, Law{LawName::published});
                      })
      .choices;
}

}  // namespace

TEST_CASE("every_choice returns every combination of allowed values") {
  const std::vector<Parameters> all = every_choice(tiled());
  REQUIRE(all.size() == 4 * 2 * 2);
  CHECK(all[0] == Parameters{{"E", 1}, {"t", 64}, {"K", 1}});
  CHECK(all[1] == Parameters{{"E", 1}, {"t", 64}, {"K", 2}});
  CHECK(all[2] == Parameters{{"E", 1}, {"t", 128}, {"K", 1}});
  CHECK(all[15] == Parameters{{"E", 4}, {"t", 128}, {"K", 2}});

  const std::vector<Parameters> some = every_choice(tiled(), {{"t", {128}}, {"E", {4, 2}}});
  REQUIRE(some.size() == 4);
  CHECK(some[0] == Parameters{{"E", 4}, {"t", 128}, {"K", 1}});
  CHECK(some[3] == Parameters{{"E", 2}, {"t", 128}, {"K", 2}});
  CHECK(every_choice(Descriptor{}) == std::vector{Parameters{}});

  Descriptor lists = tiled();
  lists.parameters[1].of_problem = true;  // t
  const std::vector<Parameters> of_problem = every_choice(lists);
  REQUIRE(of_problem.size() == 4 * 2);
  for (const Parameters& one : of_problem) CHECK(one.at("t") == lists.parameters[1].default_value);
  CHECK(every_choice(lists, {{"t", {64}}}).back() == Parameters{{"E", 4}, {"t", 64}, {"K", 2}});

  CHECK_THROWS_WITH(every_choice(tiled(), {{"e", {1}}}), Catch::Contains("no parameter 'e'"));
  CHECK_THROWS_WITH(every_choice(tiled(), {{"t", {96}}}), Catch::Contains("64, 128"));
  CHECK_THROWS_WITH(every_choice(tiled(), {{"t", {}}}), Catch::Contains("no values"));
}

TEST_CASE("choices are ranked by predicted time; those that do not fit are omitted") {
  const std::vector<RankedChoice> ranking = ranked(every_choice(tiled()));
  REQUIRE(ranking.size() == 8);
  for (std::size_t i = 0; i < ranking.size(); ++i) {
    CHECK(ranking[i].parameters.at("E") == 4 - int(i) / 2);
    CHECK(ranking[i].parameters.at("t") == 128);
    CHECK(ranking[i].parameters.at("K") == 1 + int(i) % 2);  // equally fast: in the order given
    Problem problem = tiled().problem(1e8);
    problem.parameters = ranking[i].parameters;
    CHECK(ranking[i].prediction.time_s ==
          predict(tiled(), tests::complete_machine(), problem, Law{LawName::published}).time_s);
  }
}

TEST_CASE("choices whose work is unavailable are left out, and counted") {
  const auto ranking_without = [](const std::vector<int>& unavailable) {
    return rank_choices(tiled(), tiled().problem(1e8), every_choice(tiled(), {{"t", {128}}, {"K", {1}}}),
                        [&](const Problem& problem) {
                          if (std::ranges::count(unavailable, problem.parameters.at("E")) > 0)
                            throw WorkUnavailable("install it");
                          return predict(tiled(), tests::complete_machine(), problem,
                                         Law{LawName::published});
                        });
  };
  const Ranking some = ranking_without({2, 4});
  REQUIRE(some.choices.size() == 2);
  CHECK(some.choices[0].parameters.at("E") == 3);
  CHECK(some.choices[1].parameters.at("E") == 1);
  CHECK(some.without_work == 2);
  CHECK(some.why == "install it");
  CHECK(ranking_without({}).without_work == 0);
  CHECK_THROWS_AS(ranking_without({1, 2, 3, 4}), WorkUnavailable);
}

TEST_CASE("choices within the uncertainty of the ratio tie with the fastest") {
  const auto tied = [](std::initializer_list<double> times) {
    std::vector<RankedChoice> ranking;
    for (const double time : times) ranking.emplace_back().prediction.time_s = time;
    return tied_choices(ranking);
  };
  CHECK(tied({1}) == 1);
  CHECK(tied({1, 1.015, 1.019, 1.03, 1.04}) == 3);
  CHECK(tied({1, 1.1}) == 1);
  CHECK(tied({2, 2, 2.03}) == 3);
}

TEST_CASE("a ranking without candidates gives the reason") {
  CHECK_THROWS_WITH(
      ranked(every_choice(tiled(), {{"t", {64}}})),
      Catch::Contains("no choice of parameters can run: no multiprocessor of 'complete' holds it"));
  CHECK_THROWS_AS(ranked({}), std::runtime_error);
  CHECK_THROWS_WITH(ranked({{{"E", 9}, {"t", 128}, {"K", 1}}}), Catch::Contains("1..4"));

  Machine<double> unmeasured = tests::complete_machine();
  unmeasured.at(Level::registers).bandwidth.reset();
  const auto on_unmeasured = [&](const Problem& problem) {
    return predict(tiled(), unmeasured, problem, Law{LawName::published});
  };
  CHECK_THROWS_AS(rank_choices(tiled(), tiled().problem(1e8), every_choice(tiled()), on_unmeasured),
                  MissingConstant);
}
