#include <fathom/calibration/fit.h>

#include <fmt/format.h>

#include <cmath>

namespace fathom {
namespace {

/// An interval from a thousandth to a thousand times the time says no more than none. Constants as uncertain
/// as that come from damaged files; fits give factors below 2.
constexpr double widest_factor = 1e3;

double log_derivative(const Dual& time) {
  return time[1] / time[0];
}

Interval interval_of(double time_s, double sigma) {
  const double factor = std::exp(1.96 * sigma);
  return {time_s / factor, time_s * factor};
}

Prediction with_error_of_law(Prediction prediction) {
  prediction.interval_s = interval_of(prediction.time_s, error_of_counted_law);
  return prediction;
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
                     const Law& law, WorkLookup work)
    : profile_(profile),
      algorithm_(algorithm),
      resolved_(resolve(profile, algorithm, of_type, law)),
      lookup_(std::move(work)) {
  if (uses_work(law.law) && !lookup_)
    throw std::invalid_argument("the law " + std::string(name(law.law)) + " needs the work of kernels");
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

CountedRun Predictor::run(const Problem& problem, Input input) {
  std::shared_ptr<const AlgorithmWork>& work = work_[input][problem.parameters];
  if (!work) {
    algorithm_.check(problem);  // before it is counted, which takes long
    work = lookup_(algorithm_, problem.type, problem.parameters, input);
  }
  return {algorithm_, profile_.machine, problem, *work};
}

Prediction Predictor::explained(const Problem& problem, Input input) {
  if (uses_work(resolved_.law.law)) return with_error_of_law(run(problem, input).explained(profile_.machine));
  return (*this)(problem, input);
}

std::optional<std::string> Predictor::fitted_from() const {
  return fit_ ? std::optional(fit_->dataset) : std::nullopt;
}

std::vector<Sensitivity> Predictor::sensitivities(const Problem& problem, Input input) {
  if (uses_work(resolved_.law.law)) {
    const CountedRun counted = run(problem, input);
    return fathom::sensitivities(profile_.machine,
                                 [&](const Machine<Dual>& machine) { return counted.seconds(machine); });
  }
  check_random(input);
  const Plan plan = checked_plan(algorithm_, profile_.machine, problem, resolved_.law.law);
  const ConstantValues<Dual> constants(resolved_.constants.begin(), resolved_.constants.end());
  return fathom::sensitivities(profile_.machine, [&](const Machine<Dual>& machine) {
    return predicted_seconds<Dual>(algorithm_, machine, problem, plan, resolved_.law, constants);
  });
}

/// Throws for another input than that which formulas know.
void Predictor::check_random(Input input) const {
  if (input != Input::random)
    throw std::invalid_argument("the law " + std::string(name(resolved_.law.law)) +
                                " knows random input only: choose --law counted for " +
                                std::string(name(input)) + " input");
}

Prediction Predictor::operator()(const Problem& problem, Input input) {
  if (uses_work(resolved_.law.law)) return with_error_of_law(run(problem, input).predicted(profile_.machine));
  check_random(input);
  const Plan plan = checked_plan(algorithm_, profile_.machine, problem, resolved_.law.law);
  Prediction prediction =
      predict(algorithm_, profile_.machine, problem, plan, resolved_.law, resolved_.constants);
  if (!resolved_.fitted) return prediction;
  const double variance =
      machine_variance(problem, plan) + algorithm_variance(problem, plan) + fit_->residual * fit_->residual;
  const double sigma = std::sqrt(variance);
  if (std::exp(1.96 * sigma) <= widest_factor) prediction.interval_s = interval_of(prediction.time_s, sigma);
  return prediction;
}

Prediction predict_with_interval(const DeviceProfile& profile, const Descriptor& algorithm,
                                 const Problem& problem, const Law& law) {
  return Predictor(profile, algorithm, problem, law)(problem);
}

}  // namespace fathom
