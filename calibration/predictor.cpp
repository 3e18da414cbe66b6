#include <fathom/calibration/fit.h>
#include <fathom/model/laws/sensitivities.h>

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

namespace fathom {
namespace {

/// An interval from a thousandth to a thousand times the time says no more than none. Fits as uncertain as
/// that come from damaged files.
constexpr double widest_factor = 1e3;

Interval interval_of(double time_s, double sigma) {
  const double factor = std::exp(1.96 * sigma);
  return {time_s / factor, time_s * factor};
}

}  // namespace

struct Predictor::DualMachine {
  Machine<Dual> machine;
};

Predictor::Predictor(const DeviceProfile& profile, const Descriptor& algorithm, const Law& law,
                     WorkLookup work)
    : profile_(profile), algorithm_(algorithm), law_(law), lookup_(std::move(work)) {
  check_predictable(profile, algorithm, law.law);
  if (uses_work(law.law) && !lookup_)
    throw std::invalid_argument("the law " + std::string(name(law.law)) + " needs the work of kernels");
  if (law.law != LawName::fitted) return;
  fit_ = profile.find_fit(algorithm.slug);
  factors_ = {fit_->factors.work.value, fit_->factors.waiting.value};
  dual_machine_ = std::make_shared<DualMachine>(DualMachine{as_dual(profile.machine)});
}

/// Variance of log T from the factors: gᵀ·Σ·g, where g are the derivatives of log T by their logarithms. Not
/// below 0, which rounding could make it.
double Predictor::variance_of_factors(const CountedRun& run, double time_s) const {
  const Factors<Dual> of_work{variable(factors_.work), Dual(factors_.waiting)};
  const Factors<Dual> of_waiting{Dual(factors_.work), variable(factors_.waiting)};
  const double work = run.seconds(dual_machine_->machine, of_work)[1] * factors_.work / time_s;
  const double waiting = run.seconds(dual_machine_->machine, of_waiting)[1] * factors_.waiting / time_s;
  const auto& covariance = fit_->covariance;
  return std::max(0.0, work * work * covariance[0] + work * waiting * (covariance[1] + covariance[2]) +
                           waiting * waiting * covariance[3]);
}

namespace {

/// Half the 95 % interval of log time under `counted`, over 1.96.
double sigma_of_counted_law() {
  static const double quantile =
      boost::math::quantile(boost::math::students_t(algorithms_behind_error), 0.975);
  return quantile / 1.96 * error_of_counted_law;
}

}  // namespace

/// Of a law of counted work.
Prediction Predictor::with_interval(Prediction prediction, const CountedRun& run) const {
  const double time_s = prediction.time_s;
  const double sigma =
      fit_ ? std::hypot(fit_->residual, std::sqrt(variance_of_factors(run, time_s))) : sigma_of_counted_law();
  if (std::exp(1.96 * sigma) <= widest_factor) prediction.interval_s = interval_of(time_s, sigma);
  return prediction;
}

CountedRun Predictor::run(const Problem& problem, Input input) {
  std::shared_ptr<const AlgorithmWork>& work = work_[Instantiation(problem)][input][problem.parameters];
  if (!work) {
    algorithm_.check(problem);  // before it is counted, which takes long
    work = lookup_(algorithm_, Instantiation(problem), problem.parameters, input);
  }
  return {algorithm_, profile_.machine, problem, *work};
}

Prediction Predictor::operator()(const Problem& problem, Input input) {
  if (uses_work(law_.law)) {
    const CountedRun counted = run(problem, input);
    return with_interval(counted.predicted(profile_.machine, factors_), counted);
  }
  check_random(input);
  return predict(algorithm_, profile_.machine, problem, law_);
}

Prediction Predictor::explained(const Problem& problem, Input input) {
  if (!uses_work(law_.law)) return (*this)(problem, input);
  const CountedRun counted = run(problem, input);
  return with_interval(counted.explained(profile_.machine, factors_), counted);
}

std::optional<std::string> Predictor::fitted_from() const {
  return fit_ ? std::optional(fit_->dataset) : std::nullopt;
}

std::vector<Sensitivity> Predictor::sensitivities(const Problem& problem, Input input) {
  if (uses_work(law_.law)) {
    const CountedRun counted = run(problem, input);
    const Factors<Dual> factors{Dual(factors_.work), Dual(factors_.waiting)};
    return fathom::sensitivities(
        profile_.machine, [&](const Machine<Dual>& machine) { return counted.seconds(machine, factors); });
  }
  check_random(input);
  const Phases phases = phases_of(algorithm_, profile_.machine, problem);
  return fathom::sensitivities(profile_.machine, [&](const Machine<Dual>& machine) {
    return predicted_seconds(phases, machine, law_);
  });
}

/// Throws for another input than that which formulas know.
void Predictor::check_random(Input input) const {
  if (input != Input::random)
    throw std::invalid_argument("the law " + std::string(name(law_.law)) +
                                " knows random input only: choose --law counted for " +
                                std::string(name(input)) + " input");
}

}  // namespace fathom
