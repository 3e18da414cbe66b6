// SPDX-License-Identifier: Apache-2.0
#include <fathom/counting/fit_work.h>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>

namespace fathom {
namespace {

constexpr double tolerance = 0.005;

/// A term of KernelWork: what it is multiplied by, and where its coefficients are kept.
struct Term {
  double (*of)(const WorkSize&);
  Work KernelWork::*coefficients;
};
constexpr Term constant{[](const WorkSize&) { return 1.0; }, &KernelWork::constant};
constexpr Term element{[](const WorkSize& size) { return size.elements; }, &KernelWork::per_element};
constexpr Term doubling{[](const WorkSize& size) { return size.doublings; }, &KernelWork::per_doubling};
constexpr Term partial{[](const WorkSize& size) { return size.partials; }, &KernelWork::per_partial};

using Terms = std::vector<Term>;
using Choices = std::vector<Terms>;
/// From the simplest on: an earlier one is preferred.
const Choices by_block{
    {constant}, {constant, element}, {constant, partial}, {constant, doubling}, {constant, element, partial}};
/// Launches that state parts have these choices: most plans give blocks about as many parts at every size.
const Choices by_part{{partial}, {constant}, {partial, element}, {partial, element, constant}};
/// By how much another choice must lower the error. What a constant leaves open may be chance; two
/// coefficients that are not negative fit little of that, and elements tell what small parts share.
constexpr double gain_by_block = 0.5, gain_by_part = 0.9;

using Points = std::span<const WorkPoint>;

/// The number that deviations of a demand are relative to.
double scale(const Work& counted, const Demand& demand) {
  double largest = 0;
  for (const Demand& other : all_demands)
    if (other.kind == demand.kind) largest = std::max(largest, counted.*other.value);
  return std::max(counted.*demand.value, largest / 20);
}

double deviation(const Work& fitted, const Work& counted, const Demand& demand) {
  const double difference = std::abs(fitted.*demand.value - counted.*demand.value);
  return difference == 0 ? 0 : difference / std::max(scale(counted, demand), 1e-9);
}

/// Root mean square over the points, by their weights.
double mean_deviation(const KernelWork& fitted, Points points, const Demand& demand) {
  double sum = 0, weights = 0;
  for (const WorkPoint& point : points) {
    const double one = deviation(fitted.at(point.size), point.work, demand);
    sum += point.weight * one * one;
    weights += point.weight;
  }
  return std::sqrt(sum / weights);
}

/// True if the points tell the terms apart. With a fixed grid, n and the elements of a block grow together,
/// and log₂ n would only stand in for them. A constant beside the work of parts is small, and takes numbers
/// of parts that differ much.
bool are_eligible(const Terms& terms, Points points) {
  const auto varies = [&](const Term& term, const Term& beside, double factor) {
    const auto ratio = [&](const WorkPoint& point) { return term.of(point.size) / beside.of(point.size); };
    const auto [least, most] = std::ranges::minmax(points, {}, ratio);
    return ratio(most) > factor * ratio(least);
  };
  constexpr double some = 1.1, much = 4;
  return std::all_of(terms.begin() + 1, terms.end(), [&](const Term& term) {
    if (term.coefficients == doubling.coefficients) return !varies(element, constant, some);
    return varies(term, terms.front(), term.coefficients == constant.coefficients ? much : some);
  });
}

/// The solution of least squares, whose coefficients are not negative if `bounded`: the best of those that
/// have only some of the columns, of which there are three at most.
Eigen::VectorXd least_squares(const Eigen::MatrixXd& matrix, const Eigen::VectorXd& values, bool bounded) {
  const unsigned all = (1u << matrix.cols()) - 1;
  Eigen::VectorXd best = Eigen::VectorXd::Zero(matrix.cols());
  double least = std::numeric_limits<double>::infinity();
  for (unsigned some = bounded ? 1 : all; some <= all; ++some) {
    std::vector<Eigen::Index> columns;
    for (Eigen::Index column = 0; column < matrix.cols(); ++column)
      if (some >> column & 1) columns.push_back(column);
    const Eigen::MatrixXd part = matrix(Eigen::all, columns);
    const Eigen::VectorXd solution = part.colPivHouseholderQr().solve(values);
    const double rest = (part * solution - values).norm();
    if ((bounded && solution.minCoeff() < 0) || rest >= least) continue;
    least = rest;
    best.setZero();
    best(columns) = solution;
  }
  return best;
}

/// Writes the demand's coefficients of least squares, relative to the points' scales; false if the points do
/// not determine them.
bool fit_demand(const Terms& terms, Points points, const Demand& demand, KernelWork& fitted) {
  Eigen::MatrixXd matrix(Eigen::Index(points.size()), Eigen::Index(terms.size()));
  Eigen::VectorXd values(Eigen::Index(points.size()));
  for (Eigen::Index row = 0; row < matrix.rows(); ++row) {
    const WorkPoint& point = points[std::size_t(row)];
    const double weight = std::sqrt(point.weight) / std::max(scale(point.work, demand), 1e-9);
    for (Eigen::Index column = 0; column < matrix.cols(); ++column)
      matrix(row, column) = weight * terms[std::size_t(column)].of(point.size);
    values(row) = weight * point.work.*demand.value;
  }
  // Columns of like size, for the decision about the rank.
  const Eigen::VectorXd sizes = matrix.colwise().norm();
  matrix.array().rowwise() /= sizes.transpose().array().max(1e-300);
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> decomposition(matrix);
  decomposition.setThreshold(1e-6);
  if (decomposition.rank() < matrix.cols()) return false;
  const bool bounded = std::ranges::find(terms, doubling.coefficients, &Term::coefficients) == terms.end();
  const Eigen::VectorXd solution = least_squares(matrix, values, bounded);
  // The columns have length 1, and the values about 1 each: what is much smaller is rounding.
  const double rounding = 1e-7 * std::max(values.norm(), solution.norm());
  for (Eigen::Index column = 0; column < matrix.cols(); ++column)
    if (std::abs(solution(column)) > rounding)
      (fitted.*terms[std::size_t(column)].coefficients).*demand.value = solution(column) / sizes(column);
  return true;
}

void clear_demand(const Demand& demand, KernelWork& fitted) {
  for (const Term& term : {constant, element, doubling, partial})
    (fitted.*term.coefficients).*demand.value = 0;
}

struct Candidate {
  KernelWork work;
  double error = std::numeric_limits<double>::infinity();
};

/// Takes the code of the size at which most of it runs.
void set_code(Points points, KernelWork& fitted) {
  for (const WorkPoint& point : points)
    fitted.constant.code_bytes = std::max(fitted.constant.code_bytes, point.work.code_bytes);
}

/// Each demand gets the first of the single terms that explains it, else all terms. The result is absent if
/// the points do not determine these.
std::optional<Candidate> fit_terms(const Terms& terms, const Choices& choices, Points points) {
  Candidate candidate{.work = {}, .error = 0};
  for (const Demand& demand : all_demands) {
    if (demand.kind == DemandKind::code) continue;
    double error = std::numeric_limits<double>::infinity();
    const auto fit = [&](const Terms& some) {
      clear_demand(demand, candidate.work);
      if (!fit_demand(some, points, demand, candidate.work)) return false;
      error = mean_deviation(candidate.work, points, demand);
      return true;
    };
    for (const Terms& one : choices)
      if (one.size() == 1 && error > tolerance) fit(one);
    if (error > tolerance && !fit(terms)) return std::nullopt;
    candidate.error += error;
  }
  set_code(points, candidate.work);
  candidate.error /= double(all_demands.size());
  return candidate;
}

}  // namespace

KernelWork fit_work(Points points) {
  if (points.empty()) throw std::invalid_argument("a fit of work needs at least one point");
  const bool has_parts = std::ranges::all_of(points, &WorkPoint::has_parts);
  const Choices& choices = has_parts ? by_part : by_block;
  const double gain = has_parts ? gain_by_part : gain_by_block;
  Candidate best;
  for (const Terms& terms : choices) {
    // As many coefficients as points would agree with anything.
    if (terms.size() > 1 && terms.size() >= points.size()) continue;
    if (!are_eligible(terms, points)) continue;
    std::optional<Candidate> candidate = fit_terms(terms, choices, points);
    if (candidate && candidate->error < best.error * gain) best = *std::move(candidate);
    if (best.error <= tolerance / 10) break;
  }
  return std::move(best.work);
}

double deviation(const Work& fitted, const Work& counted) {
  double worst = 0;
  for (const Demand& demand : all_demands)
    if (demand.kind != DemandKind::code) worst = std::max(worst, deviation(fitted, counted, demand));
  return worst;
}

}  // namespace fathom
