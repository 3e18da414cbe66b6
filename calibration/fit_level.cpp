// SPDX-License-Identifier: Apache-2.0
#include <fathom/calibration/fit_level.h>
#include <fathom/calibration/least_squares.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace fathom {
namespace {

constexpr int resamples = 200;
constexpr int fewest_points = 8;
/// Beyond s = 64 the knee is within 1 % of the sharp one everywhere: no sweep can distinguish them.
constexpr Bounded sharpness_bounds{least_sharpness, 64};
/// Stabilises log c and s if the data do not determine them; negligible otherwise.
constexpr double ridge = 1e-3;

/// The free parameters: log L, log B, log c, and s transformed by its bounds.
struct LawParameters {
  double latency, bandwidth, issue, sharpness;

  explicit LawParameters(const Eigen::VectorXd& x)
      : latency(std::exp(x[0])),
        bandwidth(std::exp(x[1])),
        issue(std::exp(x[2])),
        sharpness(sharpness_bounds.value(x[3])) {}
  double clocks(double X, double I) const {
    return clocks_per_access(latency, bandwidth, issue, sharpness, X, I);
  }
};

Eigen::VectorXd free_parameters(double latency, double bandwidth, double issue, double sharpness) {
  Eigen::VectorXd x(4);
  x << std::log(latency), std::log(bandwidth), std::log(issue), sharpness_bounds.free(sharpness);
  return x;
}

struct Measured {
  double X, I, clocks;
};

std::vector<Measured> medians(const std::vector<SweepPoint>& points) {
  std::vector<Measured> measured;
  for (const SweepPoint& point : points)
    measured.push_back({point.X, point.I, quartiles(point.clocks).median});
  return measured;
}

/// L from the point of least X·I, B from the highest observed rate; each is on its own side of the knee.
std::vector<Eigen::VectorXd> starting_points(const std::vector<Measured>& points) {
  const Measured& loneliest =
      *std::min_element(points.begin(), points.end(),
                        [](const Measured& a, const Measured& b) { return a.X * a.I < b.X * b.I; });
  double bandwidth = 0;
  for (const Measured& point : points) bandwidth = std::max(bandwidth, point.X / point.clocks);
  const double latency = loneliest.clocks * loneliest.I;
  std::vector<Eigen::VectorXd> starts;
  for (double issue_share : {0.01, 0.2})
    for (double sharpness : {2.0, 12.0})
      starts.push_back(
          free_parameters(latency * (1 - issue_share), bandwidth, latency * issue_share, sharpness));
  return starts;
}

Minimum fit_points(const std::vector<Measured>& points, const std::vector<Eigen::VectorXd>& starts,
                   int evaluations) {
  const Eigen::VectorXd held = starts.front();
  const Residuals residuals = [&](const Eigen::VectorXd& x, Eigen::VectorXd& result) {
    const LawParameters law(x);
    Eigen::Index i = 0;
    for (const Measured& point : points) result[i++] = std::log(law.clocks(point.X, point.I) / point.clocks);
    result[i++] = ridge * (x[2] - held[2]);
    result[i++] = ridge * (x[3] - held[3]);
  };
  return minimise(residuals, int(points.size()) + 2, starts, evaluations);
}

std::vector<Measured> resampled(const std::vector<SweepPoint>& points, std::mt19937_64& random) {
  std::uniform_int_distribution<std::size_t> pick(0, points.size() - 1);
  std::vector<Measured> drawn;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const SweepPoint& point = points[pick(random)];
    drawn.push_back({point.X, point.I, resampled_median(point.clocks, random)});
  }
  return drawn;
}

FitQuality quality(const LawParameters& law, const std::vector<Measured>& points) {
  FitQuality quality;
  for (const Measured& point : points) {
    const double error = std::abs(law.clocks(point.X, point.I) / point.clocks - 1);
    quality.mean_relative_error += error / double(points.size());
    quality.worst_relative_error = std::max(quality.worst_relative_error, error);
  }
  quality.knee = law.latency * law.bandwidth;
  return quality;
}

bool determined(const Estimate& estimate) {
  return estimate.interval->high <= 2 * estimate.interval->low;
}

bool varies(const std::vector<SweepPoint>& points) {
  std::set<double> X, I;
  for (const SweepPoint& point : points) {
    X.insert(point.X);
    I.insert(point.I);
  }
  return X.size() >= 2 && I.size() >= 2;
}

}  // namespace

double clocks_per_access(double latency, double bandwidth, double issue, double sharpness, double X,
                         double I) {
  const double by_bandwidth = X / bandwidth, by_latency = latency / I + issue;
  const double most = std::max(by_bandwidth, by_latency), least = std::min(by_bandwidth, by_latency);
  return most * std::pow(1 + std::pow(least / most, sharpness), 1 / sharpness);
}

double resampled_median(const std::vector<double>& values, std::mt19937_64& random) {
  std::uniform_int_distribution<std::size_t> pick(0, values.size() - 1);
  std::vector<double> drawn(values.size());
  for (double& value : drawn) value = values[pick(random)];
  return quartiles(std::move(drawn)).median;
}

std::vector<SweepPoint> sweep_points(const std::vector<const Series*>& series) {
  std::vector<SweepPoint> points;
  for (const Series* one : series) {
    SweepPoint point{one->coordinates.at("X"), one->coordinates.at("I"), one->samples};
    const double clocks_per_unit = one->unit == "s" ? one->clock_hz : 1;
    for (double& sample : point.clocks) sample *= clocks_per_unit / one->coordinates.at("accesses");
    points.push_back(std::move(point));
  }
  return points;
}

LevelFit fit_level(std::string_view level, const std::vector<SweepPoint>& points, std::mt19937_64& random,
                   const Progress& progress) {
  LevelFit fit;
  if (int(points.size()) < fewest_points || !varies(points)) {
    fit.warnings.push_back(
        fmt::format("{}: not fitted, {} points do not vary X and I enough", level, points.size()));
    return fit;
  }
  const std::vector<Measured> measured = medians(points);
  const Minimum minimum = fit_points(measured, starting_points(measured), 2000);
  if (!std::isfinite(minimum.sum_of_squares)) {
    fit.warnings.push_back(fmt::format("{}: not fitted, no start led to a minimum", level));
    return fit;
  }
  const LawParameters law(minimum.x);

  std::vector<double> latencies, bandwidths, issues, sharpnesses;
  for (int i = 0; i < resamples; ++i) {
    if (progress) progress(fmt::format("fitting {}", level), std::size_t(i), resamples);
    const LawParameters drawn(fit_points(resampled(points, random), {minimum.x}, 150).x);
    latencies.push_back(drawn.latency);
    bandwidths.push_back(drawn.bandwidth);
    issues.push_back(drawn.issue);
    sharpnesses.push_back(drawn.sharpness);
  }
  fit.latency = {law.latency, percentile_interval(latencies, law.latency)};
  fit.bandwidth = {law.bandwidth, percentile_interval(bandwidths, law.bandwidth)};
  fit.issue = {law.issue, percentile_interval(issues, law.issue)};
  fit.sharpness = {law.sharpness, percentile_interval(sharpnesses, law.sharpness)};
  fit.quality = quality(law, measured);
  for (auto [constant, name] : {std::pair(&fit.latency, "latency"), std::pair(&fit.bandwidth, "bandwidth")})
    if (!determined(**constant)) {
      fit.warnings.push_back(fmt::format("{}: {} left out, the sweep determines it only as {:.4g} to {:.4g}",
                                         level, name, (*constant)->interval->low,
                                         (*constant)->interval->high));
      constant->reset();
    }
  return fit;
}

}  // namespace fathom
