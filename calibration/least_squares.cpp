// SPDX-License-Identifier: Apache-2.0
#include <fathom/calibration/least_squares.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <unsupported/Eigen/NonLinearOptimization>
#include <unsupported/Eigen/NumericalDiff>

namespace fathom {
namespace {

/// The functor interface of Eigen's LevenbergMarquardt.
struct Functor {
  using Scalar = double;
  using InputType = Eigen::VectorXd;
  using ValueType = Eigen::VectorXd;
  using JacobianType = Eigen::MatrixXd;
  enum { InputsAtCompileTime = Eigen::Dynamic, ValuesAtCompileTime = Eigen::Dynamic };

  const Residuals* residuals;
  int input_count, value_count;

  int inputs() const { return input_count; }
  int values() const { return value_count; }
  int operator()(const InputType& x, ValueType& result) const {
    (*residuals)(x, result);
    return result.allFinite() ? 0 : -1;
  }
};

}  // namespace

Minimum minimise(const Residuals& residuals, int count, const std::vector<Eigen::VectorXd>& starts,
                 int evaluations) {
  Minimum best{starts.front(), std::numeric_limits<double>::infinity()};
  for (Eigen::VectorXd x : starts) {
    // Residuals are logs of ratios: a step of 1e-6 is far above rounding and far below any noise.
    Eigen::NumericalDiff<Functor> functor(Functor{&residuals, int(x.size()), count}, 1e-12);
    Eigen::LevenbergMarquardt<Eigen::NumericalDiff<Functor>> solver(functor);
    solver.parameters.maxfev = evaluations;
    solver.parameters.ftol = solver.parameters.xtol = 1e-9;
    solver.minimize(x);
    Eigen::VectorXd at_x(count);
    residuals(x, at_x);
    const double sum = at_x.squaredNorm();
    if (std::isfinite(sum) && sum < best.sum_of_squares) best = {x, sum};
  }
  return best;
}

Eigen::MatrixXd jacobian(const Residuals& residuals, int count, const Eigen::VectorXd& x) {
  constexpr double step = 1e-5;
  Eigen::MatrixXd result(count, x.size());
  Eigen::VectorXd above(count), below(count);
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    Eigen::VectorXd moved = x;
    moved[i] = x[i] + step;
    residuals(moved, above);
    moved[i] = x[i] - step;
    residuals(moved, below);
    result.col(i) = (above - below) / (2 * step);
  }
  return result;
}

double Bounded::value(double free) const {
  const double share = 1 / (1 + std::exp(-free));
  return low > 0 ? low * std::pow(high / low, share) : low + (high - low) * share;
}

double Bounded::free(double value) const {
  const double share =
      low > 0 ? std::log(std::max(value, low) / low) / std::log(high / low) : (value - low) / (high - low);
  const double inside = std::clamp(share, 0.01, 0.99);
  return std::log(inside / (1 - inside));
}

double Bounded::slope(double free) const {
  const double share = 1 / (1 + std::exp(-free));
  const double of_share = share * (1 - share);
  return low > 0 ? value(free) * std::log(high / low) * of_share : (high - low) * of_share;
}

Interval percentile_interval(std::vector<double> values, double estimate) {
  std::sort(values.begin(), values.end());
  const auto at = [&](double share) {
    return values[std::size_t(std::lround(share * double(values.size() - 1)))];
  };
  return {std::min(at(0.025), estimate), std::max(at(0.975), estimate)};
}

}  // namespace fathom
