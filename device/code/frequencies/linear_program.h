// SPDX-License-Identifier: Apache-2.0
// Linear programs of some hundred variables.
#pragma once

#include <optional>
#include <utility>
#include <vector>

namespace fathom {

/// Minimises cost · x under linear equations and x ≥ 0.
class LinearProgram {
 public:
  using Terms = std::vector<std::pair<int, double>>;  ///< variable and coefficient; one may appear twice

  int add_variable(double cost = 0) {
    costs_.push_back(cost);
    return int(costs_.size()) - 1;
  }
  void change_cost(int variable, double by) { costs_[std::size_t(variable)] += by; }
  void add_equation(const Terms& left, double right);
  /// left ≤ right, or at a cost per unit of excess.
  void add_at_most(Terms left, double right, std::optional<double> cost = {});
  /// left ≥ right, or at a cost per unit that is missing.
  void add_at_least(Terms left, double right, double cost);

  struct Solution {
    std::vector<double> values;  ///< not negative
    bool converged = false;
  };
  /// By a primal-dual interior-point method (Mehrotra's predictor and corrector), with equations and values
  /// exact to about 1e-6 where those are of the order of 1. Where several solutions are best, it is one in
  /// the middle of them. Equations may depend on each other.
  Solution solve() const;

 private:
  struct Coefficient {
    int row, variable;
    double value;
  };
  std::vector<double> costs_, right_;
  std::vector<Coefficient> left_;
};

}  // namespace fathom
