// SPDX-License-Identifier: Apache-2.0
// Properties of every published formula of the registry.
#include "../../support/derivatives.h"
#include "formulas.h"

#include <fathom/model/constants.h>
#include <fathom/model/laws/sensitivities.h>

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <random>

using namespace fathom;
using namespace fathom::tests;

namespace {

double seconds(const Descriptor& algorithm, const Problem& problem, const Law& law = published) {
  return predicted(algorithm, complete_machine(), problem, law).time_s;
}

/// True if the published phases of a problem are the same on both machines, in words and in multiplicity.
bool same_phases(const Descriptor& algorithm, const Problem& problem, const Machine<double>& one,
                 const Machine<double>& other) {
  const auto a = phases_of(algorithm, one, problem);
  const auto b = phases_of(algorithm, other, problem);
  const auto same = [](const Phase& x, const Phase& y) {
    return x.multiplicity == Approx(y.multiplicity) &&
           std::equal(x.accesses.begin(), x.accesses.end(), y.accesses.begin(), y.accesses.end(),
                      [](const auto& u, const auto& v) { return u.count == v.count; });
  };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same);
}

}  // namespace

TEST_CASE("all algorithms except baselines and segmented sorts have a formula") {
  for (const Algorithm& each : algorithms()) {
    INFO(each.slug);
    const bool published = !each.baseline && each.kind != Kind::segmented_sort;
    CHECK(each.formula.has_value() == published);
  }
}

TEST_CASE("every algorithm's ranges are ascending and contain their defaults") {
  for (const Algorithm* each : with_formula()) {
    INFO(each->slug);
    for (const ParameterInfo& parameter : each->parameters) {
      CHECK(std::is_sorted(parameter.values.begin(), parameter.values.end()));
      CHECK(std::count(parameter.values.begin(), parameter.values.end(), parameter.default_value) == 1);
      CHECK(each->find_parameter(parameter.name) == &parameter);
    }
    CHECK_NOTHROW(each->check(each->default_parameters()));
    for (const OtherDefaults& others : each->other_defaults) CHECK_NOTHROW(each->check(others.parameters));
    CHECK(each->find_parameter("nothing") == nullptr);
  }
}

TEST_CASE("time never decreases with n, if parameters stay the same") {
  for (const Algorithm* each : with_formula())
    for (ElementType type : {ElementType::u32, ElementType::u64}) {
      double before = 0;
      for (double n = 1; n < 1e9; n = std::ceil(n * 1.37)) {
        Problem problem = each->problem(n, type);
        problem.parameters = each->default_parameters();
        const double now = seconds(*each, problem);
        INFO(each->slug << " " << name(type) << ", n = " << n);
        CHECK(std::isfinite(now));
        CHECK(now >= before * (1 - 1e-12));
        before = now;
      }
    }
}

TEST_CASE("sum ≥ exponent ≥ maximum") {
  for (const Algorithm* each : with_formula())
    for (double n : {1e3, 1e6, 1e8}) {
      const Problem problem = each->problem(n);
      const auto composed = [&](Composition q) {
        return seconds(*each, problem, {LawName::published, {}, q});
      };
      INFO(each->slug << ", n = " << n);
      double before = composed(Composition::sum());
      for (double q : {1.2, 2., 5., 50.}) {
        const double now = composed({q});
        CHECK(now <= before * (1 + 1e-12));
        before = now;
      }
      CHECK(composed(Composition::max()) <= before * (1 + 1e-12));
    }
}

TEST_CASE("terms add up to the phases, and under the sum to the time") {
  for (const Algorithm* each : with_formula()) {
    const Prediction prediction = predicted(*each, complete_machine(), each->problem(1e7));
    const Terms& terms = prediction.terms;
    const double levels = terms.global_s + terms.shared_s + terms.register_s;
    double phases = 0;
    for (const PhaseTime& phase : prediction.phases) phases += phase.seconds;
    INFO(each->slug);
    CHECK(prediction.time_s == Approx(levels));
    CHECK(prediction.time_s == predicted_seconds(phases_of(*each, complete_machine(), each->problem(1e7)),
                                                 complete_machine(), published));
    CHECK(phases == Approx(levels));
    CHECK(prediction.bottleneck);
  }
}

// Twice the cores halve the time if the total work and the threads per core are the same. Some formulas have
// parts that grow with the cores (a result for each warp) or end in levels with too few threads for either
// machine (l·log n, nakano2012).
TEST_CASE("time decreases with the clock and with the number of cores") {
  Machine<double> twice = m4000();
  twice.clock = Hertz{2 * twice.clock.value};
  Machine<double> wider = m4000();
  wider.multiprocessors *= 2;  // P and M double
  int halved = 0;
  for (const Algorithm* each : with_formula()) {
    const Problem problem = each->problem(1e7);
    const auto time = [&](const Machine<double>& machine) {
      return predicted(*each, machine, problem, published).time_s;
    };
    INFO(each->slug);
    CHECK(time(twice) == Approx(time(m4000()) / 2));
    CHECK(time(wider) >= time(m4000()) / 2 * (1 - 1e-12));
    if (each->slug == "radix-single") {  // has one block
      CHECK(time(wider) == Approx(time(m4000())));
      continue;
    }
    CHECK(time(wider) < time(m4000()));
    if (!same_phases(*each, problem, m4000(), wider)) continue;
    CHECK(time(wider) == Approx(time(m4000()) / 2));
    ++halved;
  }
  CHECK(halved > 0);
}

TEST_CASE("derivatives agree with finite differences") {
  // Ceilings are off: their steps have no derivative.
  const Law smooth{LawName::published, Ceiling::never, Composition{1.7}};
  for (const Algorithm* each : with_formula())
    for (double n : {5e3, 3e7}) {
      INFO(each->slug << ", n = " << n);
      const Phases phases = phases_of(*each, complete_machine(), each->problem(n));
      check_derivatives(complete_machine(),
                        [&](const auto& machine) { return predicted_seconds(phases, machine, smooth); });
    }
}

TEST_CASE("any constants in [1e-12, 1e15] give a finite positive time with finite derivatives") {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> exponent(-12, 15);
  const auto draw = [&](int round) {  // the first two rounds are the ends of the range
    return round == 0 ? 1e-12 : round == 1 ? 1e15 : std::pow(10, exponent(random));
  };
  for (const Algorithm* each : with_formula())
    for (int round = 0; round < 60; ++round) {
      Machine<double> machine = complete_machine();
      for_each_constant(machine,
                        [&](std::string_view, std::optional<double>& value) { value = draw(round); });
      const double q = round % 3 == 0 ? 1 : round % 3 == 1 ? 8 : 1000;
      const Law law{.law = LawName::published, .composition = Composition{q}};
      const Problem problem = each->problem(round % 2 == 0 ? 0x1p40 : 1000);
      CAPTURE(each->slug, round, problem.n);
      const Prediction prediction = predict(*each, machine, problem, law);
      CHECK(prediction.time_s > 0);
      CHECK(std::isfinite(prediction.time_s));

      const Phases phases = phases_of(*each, machine, problem);
      const Machine<Dual> dual = as_dual(machine);
      for (Level level : {Level::global, Level::shared, Level::registers}) {
        Machine<Dual> varied = dual;
        varied.at(level).bandwidth = variable(*machine.at(level).bandwidth);
        CHECK(std::isfinite(predicted_seconds(phases, varied, law).derivative(1)));
        varied = dual;
        varied.at(level).latency = variable(*machine.at(level).latency);
        CHECK(std::isfinite(predicted_seconds(phases, varied, law).derivative(1)));
      }
    }
}

TEST_CASE("a time that is not finite is refused with the algorithm, n and the term") {
  Machine<double> machine = complete_machine();
  machine.at(Level::global).bandwidth = 0;
  const Descriptor& sort = *with_formula().front();
  CHECK_THROWS_AS(predict(sort, machine, sort.problem(4096), published), ImpossibleTime);
  CHECK_THROWS_WITH(
      predict(sort, machine, sort.problem(4096), published),
      Catch::Contains(sort.slug) && Catch::Contains("n = 2^12") && Catch::Contains("global memory"));
}
