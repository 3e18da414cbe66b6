// Properties of every formula of the registry under both laws.
#include "formulas.h"

#include <fathom/model/sensitivities.h>

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <random>

using namespace fathom;
using namespace fathom::tests;

namespace {

double seconds(const Descriptor& algorithm, const Problem& problem, const Law& law) {
  return predicted_seconds(algorithm, complete_machine(), problem, law,
                           algorithm.formula->default_constants());
}

std::size_t machine_constants() {
  std::size_t count = 0;
  const Machine<double> machine = complete_machine();
  for_each_constant(machine, [&](std::string_view, const std::optional<double>&) { ++count; });
  return count;
}

/// The derivative of the predicted time with respect to constant `which`, counting the machine's constants,
/// then the formula's.
double derivative(const Descriptor& algorithm, const Problem& problem, const Law& law, std::size_t which) {
  const auto with_derivative = [](double value) {
    return Dual(boost::math::differentiation::make_fvar<double, 1>(value));
  };
  Machine<Dual> machine = as_dual(complete_machine());
  std::size_t next = 0;
  for_each_constant(machine, [&](std::string_view, std::optional<Dual>& value) {
    if (next++ == which) value = with_derivative(double(*value));
  });
  ConstantValues<Dual> constants;
  for (double value : algorithm.formula->default_constants())
    constants.push_back(next++ == which ? with_derivative(value) : Dual(value));
  return predicted_seconds(algorithm, machine, problem, law, constants).derivative(1);
}

/// The time with constant `which` multiplied by `factor`, and that constant's value.
std::pair<double, double> nudged(const Descriptor& algorithm, const Problem& problem, const Law& law,
                                 std::size_t which, double factor) {
  Machine<double> machine = complete_machine();
  double nudged_value = 0;
  std::size_t next = 0;
  for_each_constant(machine, [&](std::string_view, std::optional<double>& value) {
    if (next++ == which) {
      nudged_value = *value;
      *value *= factor;
    }
  });
  ConstantValues<double> constants = algorithm.formula->default_constants();
  for (double& value : constants)
    if (next++ == which) {
      nudged_value = value;
      value *= factor;
    }
  return {predicted_seconds(algorithm, machine, problem, law, constants), nudged_value};
}

/// Whether the published phases of a problem are the same on both machines, in words and in multiplicity.
bool same_phases(const Descriptor& algorithm, const Problem& problem, const Machine<double>& one,
                 const Machine<double>& other) {
  const auto a = phases_of(algorithm, one, problem, LawName::published);
  const auto b = phases_of(algorithm, other, problem, LawName::published);
  const auto same = [](const Phase<double>& x, const Phase<double>& y) {
    return x.multiplicity == Approx(*y.multiplicity) &&
           std::equal(x.accesses.begin(), x.accesses.end(), y.accesses.begin(), y.accesses.end(),
                      [](const auto& u, const auto& v) { return u.count == v.count; });
  };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same);
}

}  // namespace

TEST_CASE("all algorithms except baselines have a formula") {
  for (const Algorithm& each : algorithms()) {
    INFO(each.slug);
    CHECK(each.formula.has_value() == !each.baseline);
  }
}

TEST_CASE("every formula's ranges are ascending and contain their defaults") {
  for (const Algorithm* each : with_formula()) {
    INFO(each->slug);
    for (const ParameterInfo& parameter : each->parameters) {
      CHECK(std::is_sorted(parameter.values.begin(), parameter.values.end()));
      CHECK(std::count(parameter.values.begin(), parameter.values.end(), parameter.default_value) == 1);
      CHECK(each->find_parameter(parameter.name) == &parameter);
    }
    CHECK_NOTHROW(each->check(each->default_parameters()));
    for (const ConstantInfo& constant : each->formula->constants) {
      INFO(constant.name);
      CHECK(constant.lowest < constant.highest);
      CHECK(constant.lowest <= constant.default_value);
      CHECK(constant.default_value <= constant.highest);
    }
    CHECK(each->formula->default_constants().size() == each->formula->constants.size());
    CHECK(each->find_parameter("nothing") == nullptr);
  }
}

// The calibrated law prices the mean thread. When n just needs another block or another row, that thread has
// slightly less work than with fewer elements. Also, kernels that read in vectors do so only if there are
// enough words for each lane, which makes them faster at larger n (the matrix scan by a sixth). Neither
// effect occurs once every resident thread has 32 elements, the longest row of a lane.
TEST_CASE("time never decreases with n: published from 1 element on, calibrated in a full machine") {
  const Machine<double> machine = complete_machine();
  const double full = 32.0 * machine.multiprocessors * machine.limits.threads_per_multiprocessor;
  for (const Algorithm* each : with_formula())
    for (ElementType type : {ElementType::u32, ElementType::u64})
      for (const Law& law : {published, calibrated}) {
        double before = 0;
        for (double n = 1; n < 1e9; n = std::ceil(n * 1.37)) {
          const double now = seconds(*each, each->problem(n, type), law);
          INFO(each->slug << " " << name(type) << ", n = " << n);
          CHECK(std::isfinite(now));
          if (law.law == LawName::published || n >= full) CHECK(now >= before * (1 - 1e-12));
          before = now;
        }
      }
}

TEST_CASE("sum ≥ exponent ≥ maximum") {
  for (const Algorithm* each : with_formula())
    for (LawName law : {LawName::published, LawName::calibrated})
      for (double n : {1e3, 1e6, 1e8}) {
        const Problem problem = each->problem(n);
        INFO(each->slug << ", n = " << n);
        double before = seconds(*each, problem, {law, {}, Composition::sum()});
        for (double q : {1.2, 2., 5., 50.}) {
          const double now = seconds(*each, problem, {law, {}, Composition{q}});
          CHECK(now <= before * (1 + 1e-12));
          before = now;
        }
        CHECK(seconds(*each, problem, {law, {}, Composition::max()}) <= before * (1 + 1e-12));
      }
}

TEST_CASE("terms add up to the phases, and under the sum to the published time") {
  for (const Algorithm* each : with_formula())
    for (const Law& law : {published, calibrated}) {
      const Prediction prediction = predicted(*each, complete_machine(), each->problem(1e7), law);
      const Terms& terms = prediction.terms;
      const double levels = terms.global_s + terms.l2_s + terms.shared_s + terms.register_s;
      double phases = 0;
      for (const PhaseTime& phase : prediction.phases) phases += phase.seconds;
      INFO(each->slug);
      if (law.law == LawName::published) CHECK(prediction.time_s == Approx(levels + terms.launch_s));
      CHECK(phases == Approx(levels));
      CHECK(prediction.bottleneck);
    }
}

// Twice the cores halve the time if the total work and the threads per core are the same. Some formulas have
// parts that grow with the cores (a result for each warp) or end in levels with too few threads for either
// machine (l·log n, models.md §8).
TEST_CASE("published: time decreases with the clock and with the number of cores") {
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
    CHECK(time(wider) < time(m4000()));
    if (!same_phases(*each, problem, m4000(), wider)) continue;
    CHECK(time(wider) == Approx(time(m4000()) / 2));
    ++halved;
  }
  CHECK(halved > 0);
}

TEST_CASE("derivatives agree with finite differences") {
  const double step = 1e-5;
  // Ceilings are off: their steps have no derivative.
  const Law smooth_published{LawName::published, Ceiling::never, Composition{1.7}};
  for (const Algorithm* each : with_formula())
    for (const Law& law : {smooth_published, calibrated, Law{LawName::calibrated, {}, Composition{2.5}}})
      for (double n : {5e3, 3e7}) {
        const Problem problem = each->problem(n);
        const double time = seconds(*each, problem, law);
        const std::size_t constants = machine_constants() + each->formula->constants.size();
        for (std::size_t which = 0; which < constants; ++which) {
          const auto [above, value] = nudged(*each, problem, law, which, 1 + step);
          const double below = nudged(*each, problem, law, which, 1 - step).first;
          INFO(each->slug << ", n = " << n << ", constant " << which);
          // As elasticities: relative change of the time per relative change of the constant.
          const double elasticity = derivative(*each, problem, law, which) * value / time;
          CHECK(elasticity == Approx((above - below) / (2 * step) / time).margin(1e-4));
        }
      }
}

TEST_CASE("double and Dual give the same time") {
  const Machine<Dual> dual = as_dual(complete_machine());
  for (const Algorithm* each : with_formula())
    for (const Law& law : {published, calibrated}) {
      ConstantValues<Dual> constants;
      for (double value : each->formula->default_constants()) constants.emplace_back(value);
      const Problem problem = each->problem(1e7);
      INFO(each->slug);
      CHECK(double(predicted_seconds(*each, dual, problem, law, constants)) ==
            Approx(seconds(*each, problem, law)).epsilon(1e-12));
    }
}

TEST_CASE("any constants in [1e-12, 1e15] give a finite positive time with finite derivatives") {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> exponent(-12, 15);
  const auto draw = [&](int round) {  // the first two rounds are the ends of the range
    return round == 0 ? 1e-12 : round == 1 ? 1e15 : std::pow(10, exponent(random));
  };
  for (const Algorithm* each : with_formula())
    for (LawName name : {LawName::published, LawName::calibrated})
      for (int round = 0; round < 60; ++round) {
        Machine<double> machine = complete_machine();
        for_each_constant(machine,
                          [&](std::string_view, std::optional<double>& value) { value = draw(round); });
        ConstantValues<double> constants = each->formula->default_constants();
        for (double& value : constants) value = draw(round);
        const Law law{.law = name,
                      .composition = Composition{round % 3 == 0   ? 1.0
                                                 : round % 3 == 1 ? 8.0
                                                                  : 1000.0}};
        const Problem problem = each->problem(round % 2 == 0 ? 0x1p40 : 1000);
        CAPTURE(each->slug, round, problem.n);
        const Prediction prediction = predict(*each, machine, problem, law, constants);
        CHECK(prediction.time_s > 0);
        CHECK(std::isfinite(prediction.time_s));

        ConstantValues<Dual> duals(constants.begin(), constants.end());
        for (std::size_t i = 0; i < duals.size(); ++i) {
          duals[i] = boost::math::differentiation::make_fvar<double, 1>(constants[i]);
          CHECK(std::isfinite(
              predicted_seconds<Dual>(*each, as_dual(machine), problem, law, duals).derivative(1)));
          duals[i] = Dual(constants[i]);
        }
      }
}

TEST_CASE("a time that is not finite is refused with the algorithm, n and the term") {
  Machine<double> machine = complete_machine();
  const Descriptor& sort = *with_formula().front();
  const Problem problem = sort.problem(4096);
  const ConstantValues<double> constants = sort.formula->default_constants();
  const auto refusal = [&](const Law& law) -> std::string {
    try {
      predict(sort, machine, problem, law, constants);
    } catch (const ImpossibleTime& error) {
      return error.what();
    }
    return "none";
  };
  machine.at(Level::global).bandwidth = 0;
  for (const Law& law : {published, calibrated})
    CHECK_THAT(refusal(law),
               Catch::Contains(sort.slug) && Catch::Contains("n = 4096") && Catch::Contains("global memory"));
  machine = complete_machine();
  machine.launch_overhead = -1;
  CHECK_THAT(refusal(calibrated), Catch::Contains("launches"));
}
