// What holds for every formula under both laws.
#include "machines.h"

#include <fathom/model/formulas/formulas.h>
#include <fathom/model/predict.h>

#include <catch2/catch.hpp>

#include <cmath>

using namespace fathom;
using namespace fathom::tests;

namespace {

const std::vector<Formula>& formulas() {
  static const std::vector<Formula> all{sort_pairwise(), sort_multiway(),   sort_mms(),    scan_naive(),
                                        scan_interval(), scan_sequential(), scan_matrix(), scan_lookback()};
  return all;
}

const Law calibrated{};
const Law published{LawName::published};

Problem standard_problem(const Formula& formula, double n, ElementType type = ElementType::u32) {
  return {n, type, formula.default_parameters()};
}

double seconds(const Formula& formula, const Problem& problem, const Law& law) {
  return predicted_seconds(formula, complete_machine(), problem, law, formula.standard_constants());
}

/// The derivative of the predicted time by the `which`-th of the machine's constants, then of the formula's.
double derivative(const Formula& formula, const Problem& problem, const Law& law, std::size_t which) {
  const auto with_derivative = [](double value) {
    return Dual(boost::math::differentiation::make_fvar<double, 1>(value));
  };
  Machine<Dual> machine = with_duals(complete_machine());
  std::size_t next = 0;
  for_each_constant(machine, [&](std::string_view, std::optional<Dual>& value) {
    if (next++ == which) value = with_derivative(double(*value));
  });
  ConstantValues<Dual> constants;
  for (double value : formula.standard_constants())
    constants.push_back(next++ == which ? with_derivative(value) : Dual(value));
  return predicted_seconds(formula, machine, problem, law, constants).derivative(1);
}

/// The time with the `which`-th constant multiplied by `factor`, and that constant's value.
std::pair<double, double> nudged(const Formula& formula, const Problem& problem, const Law& law,
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
  ConstantValues<double> constants = formula.standard_constants();
  for (double& value : constants)
    if (next++ == which) {
      nudged_value = value;
      value *= factor;
    }
  return {predicted_seconds(formula, machine, problem, law, constants), nudged_value};
}

}  // namespace

// But for our kernel of the matrix scan: its reduction reads what is less than 16 words a lane row by row, so
// that a little more work can take less time.
TEST_CASE("time never falls as n grows") {
  for (const Formula& formula : formulas())
    for (const Law& law : {published, calibrated})
      for (ElementType type : {ElementType::u32, ElementType::u64}) {
        if (formula.slug == "scan-matrix" && law.law == LawName::calibrated) continue;
        double before = 0;
        for (double n = 1; n < 3e8; n = std::ceil(n * 1.37)) {
          const double now = seconds(formula, standard_problem(formula, n, type), law);
          INFO(formula.slug << ", n = " << n);
          CHECK(std::isfinite(now));
          CHECK(now >= before * (1 - 1e-12));
          before = now;
        }
      }
}

TEST_CASE("sum ≥ exponent ≥ maximum") {
  for (const Formula& formula : formulas())
    for (LawName law : {LawName::published, LawName::calibrated})
      for (double n : {1e3, 1e6, 1e8}) {
        const Problem problem = standard_problem(formula, n);
        double before = seconds(formula, problem, {law, {}, Composition::sum()});
        for (double q : {1.2, 2., 5., 50.}) {
          const double now = seconds(formula, problem, {law, {}, {q}});
          CHECK(now <= before * (1 + 1e-12));
          before = now;
        }
        CHECK(seconds(formula, problem, {law, {}, Composition::max()}) <= before * (1 + 1e-12));
      }
}

TEST_CASE("terms add up to the published time under the sum, and to the phases always") {
  for (const Formula& formula : formulas())
    for (const Law& law : {published, calibrated}) {
      const Prediction prediction = predict(formula, complete_machine(), standard_problem(formula, 1e7), law,
                                            formula.standard_constants());
      const Terms& terms = prediction.terms;
      const double levels = terms.global_s + terms.l2_s + terms.shared_s + terms.register_s;
      double phases = 0;
      for (const PhaseTime& phase : prediction.phases) phases += phase.seconds;
      INFO(formula.slug);
      if (law.law == LawName::published) CHECK(prediction.time_s == Approx(levels + terms.launch_s));
      CHECK(phases == Approx(levels));
      CHECK(prediction.bound);
    }
}

TEST_CASE("published: time falls with the clock and with the number of cores") {
  Machine<double> twice = m4000();
  twice.clock = Hertz{2 * twice.clock.value};
  Machine<double> wider = m4000();
  wider.multiprocessors *= 2;  // P and M double, X stays
  for (const Formula& formula : formulas()) {
    const Problem problem = standard_problem(formula, 1e7);
    const auto time = [&](const Machine<double>& machine) {
      return predict(formula, machine, problem, published, formula.standard_constants()).time_s;
    };
    INFO(formula.slug);
    CHECK(time(twice) == Approx(time(m4000()) / 2));
    if (formula.slug == "scan-interval" || formula.slug == "scan-sequential") {
      // The last of their levels have too few pairs for either machine: l·log n, models.md §8.
      CHECK(time(wider) > time(m4000()) / 2);
      CHECK(time(wider) < time(m4000()) * 0.54);
    } else {
      CHECK(time(wider) == Approx(time(m4000()) / 2));
    }
  }
}

TEST_CASE("derivatives agree with finite differences") {
  const std::size_t machine_constants = 20;
  const double step = 1e-5;
  // The steps of a ceiling have no derivative.
  const Law smooth_published{LawName::published, Ceiling::never, {1.7}};
  for (const Formula& formula : formulas())
    for (const Law& law : {smooth_published, calibrated, Law{LawName::calibrated, {}, {2.5}}})
      for (double n : {5e3, 3e7}) {
        const Problem problem = standard_problem(formula, n);
        const double time = seconds(formula, problem, law);
        for (std::size_t which = 0; which < machine_constants + formula.constants.size(); ++which) {
          const auto [above, value] = nudged(formula, problem, law, which, 1 + step);
          const double below = nudged(formula, problem, law, which, 1 - step).first;
          INFO(formula.slug << ", n = " << n << ", constant " << which);
          // As elasticities: relative change of the time per relative change of the constant.
          const double elasticity = derivative(formula, problem, law, which) * value / time;
          CHECK(elasticity == Approx((above - below) / (2 * step) / time).margin(1e-4));
        }
      }
}

TEST_CASE("double and Dual give the same time") {
  const Machine<Dual> dual = with_duals(complete_machine());
  for (const Formula& formula : formulas())
    for (const Law& law : {published, calibrated}) {
      ConstantValues<Dual> constants;
      for (double value : formula.standard_constants()) constants.emplace_back(value);
      const Problem problem = standard_problem(formula, 1e7);
      CHECK(double(predicted_seconds(formula, dual, problem, law, constants)) ==
            Approx(seconds(formula, problem, law)).epsilon(1e-12));
    }
}
