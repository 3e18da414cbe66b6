// SPDX-License-Identifier: Apache-2.0
// Non-linear least squares (Levenberg–Marquardt, Eigen) and its helpers.
#pragma once

#include <fathom/model/laws/predict.h>

#include <Eigen/Core>
#include <functional>
#include <vector>

namespace fathom {

/// Writes the residuals at `x`; their number is fixed.
using Residuals = std::function<void(const Eigen::VectorXd& x, Eigen::VectorXd& residuals)>;

struct Minimum {
  Eigen::VectorXd x;
  double sum_of_squares;  ///< infinite if no start could be evaluated
};

/// The lowest of the minima found from the starts. Derivatives are forward differences.
Minimum minimise(const Residuals& residuals, int count, const std::vector<Eigen::VectorXd>& starts,
                 int evaluations = 2000);

/// ∂residual/∂x by central differences.
Eigen::MatrixXd jacobian(const Residuals& residuals, int count, const Eigen::VectorXd& x);

/// Maps an unbounded parameter to a number in (low, high) by a logistic curve: in log space if low > 0, so
/// that equal ratios count equally, else in linear space.
struct Bounded {
  double low, high;
  double value(double free) const;
  double free(double value) const;  ///< values at or beyond the bounds are moved slightly inside
  double slope(double free) const;  ///< ∂value/∂free
};

/// The central 95 % of bootstrapped values, widened if necessary to contain the estimate.
Interval percentile_interval(std::vector<double> values, double estimate);

}  // namespace fathom
