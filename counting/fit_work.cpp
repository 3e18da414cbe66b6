// SPDX-License-Identifier: Apache-2.0
#include <fathom/counting/fit_work.h>

#include <Eigen/QR>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
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
/// From the simplest on: an earlier one is preferred.
const std::array<Terms, 5> choices{Terms{constant}, Terms{constant, element}, Terms{constant, partial},
                                   Terms{constant, doubling}, Terms{constant, element, partial}};

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

/// True if the term differs between the points. With a fixed grid, n and the elements of a block grow
/// together, and log₂ n would only stand in for them.
bool is_eligible(const Term& term, Points points) {
  const auto varies = [&](const Term& of) {
    const auto [least, most] =
        std::ranges::minmax(points, {}, [&](const WorkPoint& point) { return of.of(point.size); });
    return of.of(most.size) > 1.1 * of.of(least.size);
  };
  if (term.coefficients == element.coefficients) return varies(element);
  if (term.coefficients == doubling.coefficients) return !varies(element);
  return true;
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
  const Eigen::VectorXd solution = decomposition.solve(values);
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

Candidate fit_terms(const Terms& terms, Points points) {
  Candidate candidate{.work = {}, .error = 0};
  for (const Demand& demand : all_demands) {
    if (demand.kind == DemandKind::code) continue;
    fit_demand(choices[0], points, demand, candidate.work);
    double error = mean_deviation(candidate.work, points, demand);
    if (terms.size() > 1 && error > tolerance) {
      clear_demand(demand, candidate.work);
      if (!fit_demand(terms, points, demand, candidate.work)) return {};
      error = mean_deviation(candidate.work, points, demand);
    }
    if (demand.kind != DemandKind::simulated) candidate.error += error;
  }
  set_code(points, candidate.work);
  candidate.error /= double(all_demands.size());
  return candidate;
}

}  // namespace

KernelWork fit_work(Points points) {
  if (points.empty()) throw std::invalid_argument("a fit of work needs at least one point");
  Candidate best;
  for (const Terms& terms : choices) {
    // As many coefficients as points would agree with anything.
    if (terms.size() > 1 && terms.size() >= points.size()) continue;
    if (!std::ranges::all_of(terms, [&](const Term& term) { return is_eligible(term, points); })) continue;
    Candidate candidate = fit_terms(terms, points);
    // Another term must earn its place: what a constant leaves open may be chance.
    if (candidate.error < best.error / 2) best = std::move(candidate);
    if (best.error <= tolerance / 10) break;
  }
  return std::move(best.work);
}

double deviation(const Work& fitted, const Work& counted) {
  double worst = 0;
  for (const Demand& demand : all_demands)
    if (demand.kind != DemandKind::code && demand.kind != DemandKind::simulated)
      worst = std::max(worst, deviation(fitted, counted, demand));
  return worst;
}

}  // namespace fathom
