// SPDX-License-Identifier: Apache-2.0
// The published law on phases small enough to compute by hand. The clock runs at 1 Hz, so that seconds are
// clocks.
#include "../support/machines.h"

#include <fathom/model/laws/predict.h>

#include <catch2/catch.hpp>

#include <cmath>

using namespace fathom;

namespace {

/// P = 8.
Machine<double> toy() {
  Machine<double> machine = tests::machine_of("toy", 2, 4, 1, R"(
      global.latency 10 global.bandwidth 0.5 shared.latency 12 shared.bandwidth 2
      register.latency 5 register.bandwidth 1)");
  machine.limits.shared_bytes_per_multiprocessor = machine.limits.shared_bytes_per_block = 1024;
  return machine;
}

Descriptor algorithm_of(Phases phases) {
  Descriptor algorithm;
  algorithm.slug = "by-hand";
  algorithm.formula.emplace().phases = [phases](const auto&...) { return phases; };
  return algorithm;
}

Prediction predicted(const Phases& phases, const Law& law, const Machine<double>& machine = toy()) {
  return predict(algorithm_of(phases), machine, {.n = 1}, law);
}

double seconds(const Phase& phase, const Law& law, const Machine<double>& machine = toy()) {
  return predicted({phase}, law, machine).time_s;
}

Phase published_phase(double X, std::initializer_list<Access> accesses) {
  Phase phase;
  phase.name = "phase";
  phase.multiplicity = X;
  phase.accesses = accesses;
  return phase;
}

const Law published{LawName::published};

}  // namespace

TEST_CASE("published: A_P·max(1/B, L/(X·I))") {
  // A_P = 80/8 = 10.
  CHECK(seconds(published_phase(4, {{Level::global, 80, 1, 2}}), published) == Approx(20));  // max(2, 10/8)
  CHECK(seconds(published_phase(2, {{Level::global, 80, 1, 2}}), published) == Approx(25));  // max(2, 10/4)
  CHECK(seconds(published_phase(3, {{Level::registers, 80}}), published) ==
        Approx(10 * 5. / 3));  // max(1, 5/3)
}

TEST_CASE("published: the ceiling is taken as printed, always or never") {
  const Phase printed = published_phase(2, {{Level::global, 80, 1, 2, true}});
  const Phase without = published_phase(2, {{Level::global, 80, 1, 2, false}});
  for (const auto& [ceiling, with_time, without_time] :
       {std::tuple{Ceiling::as_printed, 30, 25}, {Ceiling::always, 30, 30}, {Ceiling::never, 25, 25}}) {
    CHECK(seconds(printed, {LawName::published, ceiling}) == Approx(with_time));
    CHECK(seconds(without, {LawName::published, ceiling}) == Approx(without_time));
  }
}

TEST_CASE("published: a conflict serialises, and its extra accesses are independent") {
  // A·β/P = 40. 1/B = 0.5, L/(X·β) = 12/(2·4) = 1.5.
  CHECK(seconds(published_phase(2, {{Level::shared, 80, 4}}), published) == Approx(60));
  // X = 8: 12/32 < 0.5.
  CHECK(seconds(published_phase(8, {{Level::shared, 80, 4}}), published) == Approx(20));
}

TEST_CASE("published: level totals of the whole algorithm are combined by sum, maximum or exponent") {
  const Phases phases{published_phase(4, {{Level::global, 80, 1, 2}}),   // 20
                      published_phase(2, {{Level::shared, 80, 4}}),      // 60
                      published_phase(4, {{Level::global, 40, 1, 2}})};  // 10
  const auto time = [&](Composition q) { return predicted(phases, {LawName::published, {}, q}).time_s; };
  CHECK(time(Composition::sum()) == Approx(90));
  CHECK(time(Composition::max()) == Approx(60));
  CHECK(time({2}) == Approx(std::sqrt(30. * 30 + 60 * 60)));
}

TEST_CASE("published: terms, phases and bottleneck") {
  Phase second = published_phase(2, {{Level::global, 8, 1, 1}, {Level::shared, 80, 4}});
  second.name = "second";
  const Prediction prediction =
      predicted({published_phase(4, {{Level::global, 80, 1, 2}}), second}, published);
  CHECK(prediction.terms.global_s == Approx(25));  // 20 + 1·max(2, 5)
  CHECK(prediction.terms.shared_s == Approx(60));
  CHECK(prediction.terms.register_s == 0);
  REQUIRE(prediction.phases.size() == 3);
  CHECK(prediction.phases[0].limited_by == Limit::bandwidth);
  CHECK(prediction.phases[1].limited_by == Limit::latency);
  CHECK(prediction.phases[1].accesses == 8);
  CHECK(prediction.phases[2].level == Level::shared);
  CHECK(prediction.phases[2].seconds == Approx(60));
  REQUIRE(prediction.bottleneck);
  CHECK(prediction.bottleneck->level == Level::shared);
  CHECK(prediction.bottleneck->limit == Limit::latency);
}

TEST_CASE("phases of one name are reported as one") {
  const Phase phase = published_phase(2, {{Level::global, 80}});  // 50
  Phase other = published_phase(2, {{Level::shared, 80}});        // 60
  other.name = "other";
  const Prediction prediction = predicted({phase, other, phase}, published);
  REQUIRE(prediction.phases.size() == 2);
  CHECK(prediction.phases[0].phase == "phase");
  CHECK(prediction.phases[0].launches == 2);
  CHECK(prediction.phases[0].accesses == 160);
  CHECK(prediction.phases[0].seconds == Approx(100));
  CHECK(prediction.phases[1].seconds == Approx(60));
}

TEST_CASE("a missing constant is named") {
  Machine<double> machine = toy();
  machine.at(Level::shared).latency.reset();
  const Phase phase = published_phase(1, {{Level::shared, 1}});
  CHECK_THROWS_AS(seconds(phase, published, machine), MissingConstant);
  CHECK_THROWS_WITH(seconds(phase, published, machine),
                    Catch::Contains("toy") && Catch::Contains("shared.latency"));
}

TEST_CASE("invalid problems are rejected, and laws without phases") {
  Descriptor algorithm = algorithm_of({published_phase(1, {{Level::global, 1}})});
  const auto predict_with = [&](const Problem& problem, const Law& law = published) {
    return predict(algorithm, toy(), problem, law);
  };
  CHECK_THROWS_WITH(predict_with({.n = 0}), Catch::Contains("at least one element"));
  CHECK_THROWS_WITH(predict_with({.n = 1, .parameters = {{"E", 1}}}), Catch::Contains("no parameter 'E'"));
  CHECK_THROWS_WITH(predict_with({.n = 1}, Law{LawName::counted}), Catch::Contains("counted has no phases"));
  CHECK_THROWS_WITH(predict_with({.n = 1}, Law{LawName::fitted}), Catch::Contains("fitted has no phases"));
  algorithm.formula.reset();
  CHECK_THROWS_WITH(predict_with({.n = 1}), Catch::Contains("by-hand is a baseline"));
}

TEST_CASE("a phase without a multiplicity or without accesses has no time, and no prediction") {
  CHECK_THROWS_AS(predicted({published_phase(0, {{Level::global, 1}})}, published), ImpossibleTime);
  CHECK_THROWS_AS(predicted({published_phase(1, {})}, published), ImpossibleTime);
}

TEST_CASE("every law has a row of its own, which says what the law needs") {
  Descriptor with_kernels, with_formula;
  with_kernels.plan = [](const Problem&, const PlanDevice&) { return Plan{}; };
  with_formula.formula = Formula{};
  for (const LawName law : all_laws) {
    const LawDefinition& row = definition(law);
    INFO(row.name);
    CHECK(row.law == law);
    CHECK(parse_law(row.name) == law);
    CHECK_FALSE(row.meaning.empty());
    CHECK(row.applies_to(with_kernels) == row.needs_work);
    CHECK(row.applies_to(with_formula) == !row.needs_work);
  }
  CHECK_FALSE(definition(LawName::published).has_intervals());
  CHECK(definition(LawName::counted).has_intervals());
  CHECK(definition(LawName::fitted).has_intervals());
  CHECK_THROWS_AS(parse_law("best"), std::invalid_argument);
}

TEST_CASE("ceilings and compositions are parsed by name") {
  CHECK(parse_ceiling("never") == Ceiling::never);
  CHECK_THROWS_AS(parse_ceiling("sometimes"), std::invalid_argument);
  CHECK(parse_composition("sum").q == 1);
  CHECK(parse_composition("max").q == Composition::max().q);
  CHECK(parse_composition("2.5").q == 2.5);
  for (const std::string text : {"0.5", "nan", "inf", "-2", "1e300", "", "2,3"}) {
    INFO(text);
    CHECK_THROWS_WITH(parse_composition(text),
                      "`compose` '" + text + "': choose sum, max, or an exponent from 1 to 64");
  }
}
