// SPDX-License-Identifier: Apache-2.0
// The laws of counted work: `counted`, and `fitted`, which is the same under two factors per algorithm.
#include <fathom/model/laws/predict_counted.h>
#include <fathom/model/laws/sensitivities.h>

#include <algorithm>

namespace fathom {
namespace {

class RunOfCountedWork : public LawRun {
 public:
  explicit RunOfCountedWork(const LawQuestion& question)
      : run_(question.algorithm, question.machine, question.problem, *question.work),
        machine_(question.machine),
        factors_(question.factors) {}

  Prediction predicted() const override { return run_.predicted(machine_, factors_); }
  Prediction explained() const override { return run_.explained(machine_, factors_); }
  std::vector<Sensitivity> sensitivities() const override {
    const Factors<Dual> factors{Dual(factors_.work), Dual(factors_.waiting)};
    return fathom::sensitivities(
        machine_, [&](const Machine<Dual>& machine) { return run_.seconds(machine, factors); });
  }
  Multiplicity multiplicity() const override { return multiplicity_of(run_.launches(), machine_); }
  /// gᵀ·Σ·g, where g are the derivatives of log T by the logarithms of the factors. Not below 0, which
  /// rounding could make it.
  double variance_of_factors(const std::array<double, 4>& covariance, double time_s) const override {
    const Machine<Dual> machine = as_dual(machine_);
    const Factors<Dual> of_work{variable(factors_.work), Dual(factors_.waiting)};
    const Factors<Dual> of_waiting{Dual(factors_.work), variable(factors_.waiting)};
    const double work = run_.seconds(machine, of_work)[1] * factors_.work / time_s;
    const double waiting = run_.seconds(machine, of_waiting)[1] * factors_.waiting / time_s;
    return std::max(0.0, work * work * covariance[0] + work * waiting * (covariance[1] + covariance[2]) +
                             waiting * waiting * covariance[3]);
  }

 private:
  CountedRun run_;
  const Machine<double>& machine_;
  Factors<double> factors_;
};

std::unique_ptr<LawRun> run_of_counted_work(const LawQuestion& question) {
  return std::make_unique<RunOfCountedWork>(question);
}

}  // namespace

extern const LawDefinition counted_law, fitted_law;

// Its error is that over the algorithms of data/h200 (docs/law.md).
constinit const LawDefinition counted_law{
    .law = LawName::counted,
    .name = "counted",
    .meaning = "work counted from the kernels' source and machine code, under rates measured on the GPU",
    .needs_work = true,
    .needs_fit = false,
    .knows_inputs = true,
    .asks_formula = false,
    .has_readings = false,
    .explains = Explains::resources,
    .error = LawError{.sigma = 0.079, .algorithms = 11},
    .run = run_of_counted_work};

constinit const LawDefinition fitted_law{
    .law = LawName::fitted,
    .name = "fitted",
    .meaning = "the law counted with two factors per algorithm, fitted to runs",
    .needs_work = true,
    .needs_fit = true,
    .knows_inputs = true,
    .asks_formula = false,
    .has_readings = false,
    .explains = Explains::resources,
    .error = std::nullopt,
    .run = run_of_counted_work};

}  // namespace fathom
