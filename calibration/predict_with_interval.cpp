#include <fathom/calibration/fit.h>

#include <cmath>

namespace fathom {
namespace {

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
  return time.derivative(1) / time.derivative(0);
}

/// Variance of log T from the machine's constants. They are treated as independent, which overestimates it: L
/// and c of one sweep are anticorrelated.
double machine_variance(const DeviceProfile& profile, const Descriptor& algorithm, const Problem& problem,
                        const ResolvedLaw& resolved) {
  Machine<Dual> machine = as_dual(profile.machine);
  const ConstantValues<Dual> constants(resolved.constants.begin(), resolved.constants.end());
  double variance = 0;
  for_each_constant(machine, [&](std::string_view name, std::optional<Dual>& constant) {
    const auto estimate = profile.estimates.find(std::string(name));
    if (!constant || estimate == profile.estimates.end() || !estimate->second.interval) return;
    const Interval& interval = *estimate->second.interval;
    const double sigma = (interval.high - interval.low) / (2 * 1.96);
    const Dual kept = *constant;
    constant = variable(estimate->second.value);
    const double slope =
        log_derivative(predicted_seconds<Dual>(algorithm, machine, problem, resolved.law, constants));
    constant = kept;
    variance += slope * slope * sigma * sigma;
  });
  return variance;
}

/// ∂ log T/∂c of the formula's constants, in the formula's order.
std::vector<double> constant_slopes(const DeviceProfile& profile, const Descriptor& algorithm,
                                    const Problem& problem, const ResolvedLaw& resolved) {
  const Machine<Dual> machine = as_dual(profile.machine);
  ConstantValues<Dual> constants(resolved.constants.begin(), resolved.constants.end());
  std::vector<double> slopes;
  for (std::size_t i = 0; i < constants.size(); ++i) {
    constants[i] = variable(resolved.constants[i]);
    slopes.push_back(
        log_derivative(predicted_seconds<Dual>(algorithm, machine, problem, resolved.law, constants)));
    constants[i] = Dual(resolved.constants[i]);
  }
  return slopes;
}

/// A constant's position in the formula; absent if the formula no longer has it.
std::optional<std::size_t> place(const Formula& formula, std::string_view constant) {
  for (std::size_t i = 0; i < formula.constants.size(); ++i)
    if (formula.constants[i].name == constant) return i;
  return std::nullopt;
}

/// Variance of log T from the algorithm's constants: gᵀ·Σ·g.
double algorithm_variance(const DeviceProfile& profile, const Descriptor& algorithm, const Problem& problem,
                          const ResolvedLaw& resolved, const AlgorithmFit& fit) {
  if (fit.covariance.empty()) return 0;
  const std::vector<double> slopes = constant_slopes(profile, algorithm, problem, resolved);
  std::vector<double> gradient;  // g: one slope per row of the covariance
  for (const auto& [name, unused_estimate] : fit.constants) {
    const auto i = place(*algorithm.formula, name);
    gradient.push_back(i ? slopes[*i] : 0);
  }
  const std::size_t size = gradient.size();
  double variance = 0;
  for (std::size_t row = 0; row < size; ++row)
    for (std::size_t column = 0; column < size; ++column)
      variance += gradient[row] * fit.covariance[row * size + column] * gradient[column];
  return variance;
}

}  // namespace

Prediction predict_with_interval(const DeviceProfile& profile, const Descriptor& algorithm,
                                 const Problem& problem, const Law& law) {
  const ResolvedLaw resolved = resolve(profile, algorithm, problem, law);
  Prediction prediction = predict(algorithm, profile.machine, problem, resolved.law, resolved.constants);
  if (!resolved.fitted) return prediction;
  const AlgorithmFit& fit = *profile.find_fit(algorithm.slug, problem);
  const double variance = machine_variance(profile, algorithm, problem, resolved) +
                          algorithm_variance(profile, algorithm, problem, resolved, fit) +
                          fit.residual * fit.residual;
  const double factor = std::exp(1.96 * std::sqrt(variance));
  prediction.interval_s = Interval{prediction.time_s / factor, prediction.time_s * factor};
  return prediction;
}

}  // namespace fathom
