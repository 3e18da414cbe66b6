#include <fathom/calibration/fit.h>

#include <fmt/format.h>

#include <cmath>

namespace fathom {
namespace {

/// An interval from a thousandth to a thousand times the time says no more than none. Constants as uncertain
/// as that come from damaged files; fits give factors below 2.
constexpr double widest_factor = 1e3;

Machine<Dual> as_dual(const Machine<double>& machine) {
  Machine<Dual> dual;
  dual.name = machine.name;
  dual.multiprocessors = machine.multiprocessors;
  dual.cores_per_multiprocessor = machine.cores_per_multiprocessor;
  dual.warp_width = machine.warp_width;
  dual.clock = machine.clock;
  dual.global_memory = machine.global_memory;
  dual.l2_capacity = machine.l2_capacity;
  dual.limits = machine.limits;
  std::vector<std::optional<double>> values;
  for_each_constant(machine,
                    [&](std::string_view, const std::optional<double>& value) { values.push_back(value); });
  std::size_t next = 0;
  for_each_constant(dual, [&](std::string_view, std::optional<Dual>& value) {
    if (const auto& plain = values[next++]) value = Dual(*plain);
  });
  return dual;
}

/// The number as the variable of differentiation.
Dual variable(double value) {
  return boost::math::differentiation::make_fvar<double, 1>(value);
}

double log_derivative(const Dual& time) {
  return time[1] / time[0];
}

/// For every row of a fit's covariance, the constant's position in the formula; absent if the formula no
/// longer has it.
std::vector<std::optional<std::size_t>> places(const Formula& formula, const AlgorithmFit& fit) {
  std::vector<std::optional<std::size_t>> places;
  for (const auto& [name, unused_estimate] : fit.constants) {
    places.emplace_back();
    for (std::size_t i = 0; i < formula.constants.size(); ++i)
      if (formula.constants[i].name == name) places.back() = i;
  }
  return places;
}

}  // namespace

Predictor::Predictor(const DeviceProfile& profile, const Descriptor& algorithm, const Problem& of_type,
                     const Law& law)
    : profile_(profile), algorithm_(algorithm), resolved_(resolve(profile, algorithm, of_type, law)) {
  if (!resolved_.fitted) return;
  fit_ = profile.find_fit(algorithm.slug, of_type);
  places_ = places(*algorithm.formula, *fit_);
  machine_ = as_dual(profile.machine);
  constants_.assign(resolved_.constants.begin(), resolved_.constants.end());
  for_each_constant(machine_, [&](std::string_view name, std::optional<Dual>& constant) {
    const auto estimate = profile.estimates.find(std::string(name));
    if (!constant || estimate == profile.estimates.end() || !estimate->second.interval) return;
    const Interval& interval = *estimate->second.interval;
    uncertain_.push_back({&*constant, estimate->second.value, (interval.high - interval.low) / (2 * 1.96)});
  });
}

/// ∂ log T/∂c, where `constant` is c at `value`.
double Predictor::slope(Dual& constant, double value, const Problem& problem, const Plan& plan) {
  const Dual kept = constant;
  constant = variable(value);
  const double slope =
      log_derivative(predicted_seconds<Dual>(algorithm_, machine_, problem, plan, resolved_.law, constants_));
  constant = kept;
  return slope;
}

/// Variance of log T from the machine's constants. They are treated as independent, which overestimates it: L
/// and c of one sweep are anticorrelated.
double Predictor::machine_variance(const Problem& problem, const Plan& plan) {
  double variance = 0;
  for (const Uncertain& one : uncertain_) {
    const double slope = this->slope(*one.constant, one.value, problem, plan);
    variance += slope * slope * one.sigma * one.sigma;
  }
  return variance;
}

/// Variance of log T from the algorithm's constants: gᵀ·Σ·g. Not below 0, which rounding could make it.
double Predictor::algorithm_variance(const Problem& problem, const Plan& plan) {
  if (fit_->covariance.empty()) return 0;
  std::vector<double> slopes;
  for (std::size_t i = 0; i < constants_.size(); ++i)
    slopes.push_back(slope(constants_[i], resolved_.constants[i], problem, plan));
  std::vector<double> gradient;  // g: one slope per row of the covariance
  for (const auto& place : places_) gradient.push_back(place ? slopes[*place] : 0);
  const std::size_t size = gradient.size();
  double variance = 0;
  for (std::size_t row = 0; row < size; ++row)
    for (std::size_t column = 0; column < size; ++column)
      variance += gradient[row] * fit_->covariance[row * size + column] * gradient[column];
  return variance < 0 ? 0 : variance;
}

Prediction Predictor::operator()(const Problem& problem) {
  const Plan plan = checked_plan(algorithm_, profile_.machine, problem, resolved_.law.law);
  Prediction prediction =
      predict(algorithm_, profile_.machine, problem, plan, resolved_.law, resolved_.constants);
  if (!resolved_.fitted) return prediction;
  const double variance =
      machine_variance(problem, plan) + algorithm_variance(problem, plan) + fit_->residual * fit_->residual;
  const double factor = std::exp(1.96 * std::sqrt(variance));
  if (factor <= widest_factor)
    prediction.interval_s = Interval{prediction.time_s / factor, prediction.time_s * factor};
  return prediction;
}

Prediction predict_with_interval(const DeviceProfile& profile, const Descriptor& algorithm,
                                 const Problem& problem, const Law& law) {
  return Predictor(profile, algorithm, problem, law)(problem);
}

}  // namespace fathom
