// SPDX-License-Identifier: Apache-2.0
#include <fathom/device/code/frequencies/linear_program.h>

#include <Eigen/Sparse>
#include <Eigen/SparseLU>
#include <algorithm>
#include <cmath>

namespace fathom {
namespace {

using Column = Eigen::VectorXd;
using Matrix = Eigen::SparseMatrix<double>;

/// How far one may go from x ≥ 0 along dx, at most 1, to keep a hundredth of the distance to the boundary.
double step_within(const Column& x, const Column& dx) {
  double step = 1;
  for (Eigen::Index i = 0; i < x.size(); ++i)
    if (dx[i] < 0) step = std::min(step, -0.99 * x[i] / dx[i]);
  return step;
}

/// Newton's systems [−Z/X, Aᵀ; A, δ], whose entries but Z/X stay, for several right sides. δ admits dependent
/// equations. SparseLU pivots; with SimplicialLDLT, which does not, predicted
/// times changed by up to 3 %.
class NewtonSystem {
 public:
  explicit NewtonSystem(const Matrix& a) : n_(a.cols()), matrix_(a.cols() + a.rows(), a.cols() + a.rows()) {
    constexpr double delta = 1e-9;
    std::vector<Eigen::Triplet<double>> entries;
    entries.reserve(std::size_t(2 * a.nonZeros() + a.cols() + a.rows()));
    for (Eigen::Index i = 0; i < n_; ++i) entries.emplace_back(int(i), int(i), -1);
    for (Eigen::Index i = n_; i < matrix_.rows(); ++i) entries.emplace_back(int(i), int(i), delta);
    for (int column = 0; column < a.outerSize(); ++column)
      for (Matrix::InnerIterator it(a, column); it; ++it) {
        entries.emplace_back(int(n_ + it.row()), int(it.col()), it.value());
        entries.emplace_back(int(it.col()), int(n_ + it.row()), it.value());
      }
    matrix_.setFromTriplets(entries.begin(), entries.end());
    factors_.analyzePattern(matrix_);
  }

  bool factorize(const Column& ratio) {
    for (Eigen::Index i = 0; i < n_; ++i) matrix_.coeffRef(i, i) = -ratio[i];
    factors_.factorize(matrix_);
    return factors_.info() == Eigen::Success;
  }
  /// The solution, improved once: the matrix is badly scaled near the end.
  Column solve(const Column& right) {
    Column x = factors_.solve(right);
    x += factors_.solve(Column(right - matrix_ * x));
    return x;
  }

 private:
  Eigen::Index n_;
  Matrix matrix_;
  Eigen::SparseLU<Matrix> factors_;
};

}  // namespace

void LinearProgram::add_equation(const Terms& left, double right) {
  const int row = int(right_.size());
  right_.push_back(right);
  for (const auto& [variable, value] : left) left_.push_back({row, variable, value});
}

void LinearProgram::add_at_most(Terms left, double right, std::optional<double> cost) {
  left.emplace_back(add_variable(), 1);
  if (cost) left.emplace_back(add_variable(*cost), -1);
  add_equation(left, right);
}

void LinearProgram::add_at_least(Terms left, double right, double cost) {
  left.emplace_back(add_variable(), -1);
  left.emplace_back(add_variable(cost), 1);
  add_equation(left, right);
}

LinearProgram::Solution LinearProgram::solve() const {
  const auto n = Eigen::Index(costs_.size()), m = Eigen::Index(right_.size());
  Matrix a(m, n);
  std::vector<Eigen::Triplet<double>> entries;
  for (const Coefficient& one : left_) entries.emplace_back(one.row, one.variable, one.value);
  a.setFromTriplets(entries.begin(), entries.end());  // adds up what appears twice
  const Column b = Column::Map(right_.data(), m), c = Column::Map(costs_.data(), n);

  Column x = Column::Ones(n), y = Column::Zero(m), z = Column::Ones(n);
  NewtonSystem newton(a);
  Solution solution;
  constexpr int most_steps = 100;
  for (int step = 0; step < most_steps; ++step) {
    const Column primal = b - a * x, dual = c - a.transpose() * y - z;
    const double gap = x.dot(z) / double(n);
    solution.converged = primal.cwiseAbs().maxCoeff() < 1e-7 * (1 + b.cwiseAbs().maxCoeff()) &&
                         dual.cwiseAbs().maxCoeff() < 1e-7 && gap < 1e-8;
    if (solution.converged) break;
    if (!newton.factorize(z.cwiseQuotient(x))) break;
    Column dx, dy, dz;
    const auto solve = [&](const Column& complementarity) {
      Column right(n + m);
      right << dual - complementarity.cwiseQuotient(x), primal;
      const Column both = newton.solve(right);
      dx = both.head(n);
      dy = both.tail(m);
      dz = (complementarity - z.cwiseProduct(dx)).cwiseQuotient(x);
    };
    solve(-x.cwiseProduct(z));
    const double after = (x + step_within(x, dx) * dx).dot(z + step_within(z, dz) * dz) / double(n);
    const double centring = std::pow(after / gap, 3);
    solve(Column(Column::Constant(n, centring * gap) - x.cwiseProduct(z) - dx.cwiseProduct(dz)));
    const double primal_step = step_within(x, dx), dual_step = step_within(z, dz);
    if (!std::isfinite(dx.sum() + dy.sum() + dz.sum())) break;
    x += primal_step * dx;
    y += dual_step * dy;
    z += dual_step * dz;
  }
  solution.values.assign(x.data(), x.data() + n);
  return solution;
}

}  // namespace fathom
