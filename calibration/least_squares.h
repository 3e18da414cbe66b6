// Non-linear least squares (Levenberg–Marquardt, Eigen) and what surrounds it.
#pragma once

#include <fathom/model/predict.h>

#include <Eigen/Core>
#include <functional>
#include <vector>

namespace fathom {

/// Writes the residuals at `x`; their number never changes.
using Residuals = std::function<void(const Eigen::VectorXd& x, Eigen::VectorXd& residuals)>;

struct Minimum {
  Eigen::VectorXd x;
  double sum_of_squares;  ///< infinite when not even the start could be evaluated
};

/// The lowest of the minima found from the starts. Derivatives are forward differences.
Minimum minimise(const Residuals& residuals, int count, const std::vector<Eigen::VectorXd>& starts,
                 int evaluations = 2000);

/// ∂residual/∂x by central differences.
Eigen::MatrixXd jacobian(const Residuals& residuals, int count, const Eigen::VectorXd& x);

/// A number kept within (low, high), as a function of one that is free: low > 0 makes it a logistic curve in
/// log space, so that every ratio to the bounds counts alike; else it is linear.
struct Bounded {
  double low, high;
  double value(double free) const;
  double free(double value) const;  ///< values at the bounds or beyond are moved a little inside
  double slope(double free) const;  ///< ∂value/∂free
};

/// The central 95 % of bootstrapped values, widened where need be to hold the estimate.
Interval percentile_interval(std::vector<double> values, double estimate);

}  // namespace fathom
