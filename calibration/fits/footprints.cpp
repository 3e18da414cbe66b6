// SPDX-License-Identifier: Apache-2.0
#include <fathom/calibration/fit_level.h>
#include <fathom/calibration/fits/fits.h>
#include <fathom/calibration/least_squares.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <variant>

namespace fathom::fits {
namespace {

constexpr int resamples = 200;

struct FootprintPoint {
  double bytes, launches;
  std::vector<double> seconds;  ///< of all launches
};

constexpr Bounded steepness_bounds{least_l2_steepness, 64};

/// One pass over f bytes: start + share·f·l2 + (1 − share)·(f·dram + dram_start), with machine.h's share of
/// the L2.
struct FootprintLaw {
  double half, steepness, l2_seconds, dram_seconds, start, dram_start;  ///< …_seconds per byte

  explicit FootprintLaw(const Eigen::VectorXd& x)
      : half(std::exp(x[0])),
        steepness(steepness_bounds.value(x[1])),
        l2_seconds(std::exp(x[2])),
        dram_seconds(std::exp(x[3])),
        start(std::exp(x[4])),
        dram_start(std::exp(x[5])) {}
  double seconds(double footprint) const {
    const double share = 1 / (1 + std::pow(footprint / half, steepness));
    return start + share * footprint * l2_seconds + (1 - share) * (footprint * dram_seconds + dram_start);
  }
};

using Curve = std::vector<std::pair<double, double>>;  // footprint, seconds of a pass

Minimum fit_curve(const Curve& curve, const std::vector<Eigen::VectorXd>& starts) {
  const Residuals residuals = [&](const Eigen::VectorXd& x, Eigen::VectorXd& result) {
    const FootprintLaw law(x);
    Eigen::Index i = 0;
    for (const auto& [bytes, seconds] : curve) result[i++] = std::log(law.seconds(bytes) / seconds);
    result[i] = 1e-3 * (x[1] - starts.front()[1]);  // a step between two points leaves the steepness open
  };
  return minimise(residuals, int(curve.size()) + 1, starts, 400);
}

std::vector<Eigen::VectorXd> curve_starts(const Curve& curve) {
  const double largest = curve.back().first;
  const double slowest = curve.back().second / largest;  // seconds per byte
  std::vector<Eigen::VectorXd> starts;
  for (double position : {0.3, 0.5, 0.7})
    for (double steepness : {3.0, 10.0}) {
      const double half = std::pow(curve.front().first, 1 - position) * std::pow(largest, position);
      Eigen::VectorXd x(6);
      x << std::log(half), steepness_bounds.free(steepness), std::log(slowest / 2), std::log(slowest),
          std::log(1e-6), std::log(1e-6);
      starts.push_back(x);
    }
  return starts;
}

struct FootprintFit {
  FootprintLaw law;
  std::vector<double> halves, steepnesses, dram_starts;  ///< of the bootstrap
};
struct NotFitted {
  std::string reason;
};

std::variant<FootprintFit, NotFitted> fit_footprint(const std::vector<const Series*>& series, double overhead,
                                                    double gap, std::mt19937_64& random,
                                                    const Progress& progress) {
  std::vector<FootprintPoint> points;
  for (const Series* one : series)
    points.push_back({one->coordinates.at(along::bytes), one->coordinates.at(along::launches), one->samples});
  std::sort(points.begin(), points.end(), [](const auto& a, const auto& b) { return a.bytes < b.bytes; });
  const auto pass = [&](const FootprintPoint& point, double seconds) {
    return std::pair(point.bytes, (seconds - overhead) / point.launches - gap);
  };
  Curve curve;
  for (const FootprintPoint& point : points)
    if (const auto one = pass(point, quartiles(point.seconds).median); one.second > 0) curve.push_back(one);
  if (curve.size() < 8) return NotFitted{fmt::format("{} points are too few", curve.size())};
  const Minimum minimum = fit_curve(curve, curve_starts(curve));
  FootprintFit fit{FootprintLaw(minimum.x), {}, {}, {}};
  if (!std::isfinite(minimum.sum_of_squares) || fit.law.dram_seconds < 1.1 * fit.law.l2_seconds ||
      fit.law.half < curve.front().first || fit.law.half > curve.back().first)
    return NotFitted{"the curve shows no step from the L2 to DRAM"};
  std::uniform_int_distribution<std::size_t> pick(0, points.size() - 1);
  for (int i = 0; i < resamples; ++i) {
    if (progress) progress("fitting the reach of the L2", std::size_t(i), resamples);
    Curve drawn;
    for (std::size_t j = 0; j < points.size(); ++j) {
      const FootprintPoint& point = points[pick(random)];
      if (const auto one = pass(point, resampled_median(point.seconds, random)); one.second > 0)
        drawn.push_back(one);
    }
    const FootprintLaw drawn_law(fit_curve(drawn, {minimum.x}).x);
    fit.halves.push_back(drawn_law.half);
    fit.steepnesses.push_back(drawn_law.steepness);
    fit.dram_starts.push_back(drawn_law.dram_start);
  }
  return fit;
}

}  // namespace

/// Fits the L2's share to copies, which most algorithms resemble, and its reach without writes to reads. Also
/// fits the start-up time of DRAM reads, which nearly vanishes if words are written, too.
void footprints(Fitting& fit) {
  if (!fit.profile.machine.launch_overhead || !fit.profile.machine.kernel_gap) {
    fit.profile.warnings.push_back("footprints: not fitted, the cost of a launch is not known");
    return;
  }
  const auto fit_of = [&](const Benchmark& benchmark) -> std::optional<FootprintFit> {
    auto result = fit_footprint(fit.usable.of(benchmark, {along::bytes, along::launches}),
                                *fit.profile.machine.launch_overhead, *fit.profile.machine.kernel_gap,
                                fit.random, fit.progress);
    if (auto* fit = std::get_if<FootprintFit>(&result)) return std::move(*fit);
    fit.profile.warnings.push_back(
        fmt::format("{}: not fitted, {}", benchmark.name, std::get<NotFitted>(result).reason));
    return std::nullopt;
  };
  if (const auto copy = fit_of(benchmarks::footprint_copy)) {
    set_constant(fit.profile, "l2_half", copy->law.half, copy->halves);
    set_constant(fit.profile, "l2_steepness", copy->law.steepness, copy->steepnesses);
  }
  if (const auto read = fit_of(benchmarks::footprint_read)) {
    if (!fit.profile.machine.l2_steepness)  // shared by both; the reach needs it
      set_constant(fit.profile, "l2_steepness", read->law.steepness, read->steepnesses);
    set_constant(fit.profile, "l2_half_reading", read->law.half, read->halves);
    set_constant(fit.profile, "dram_start", read->law.dram_start, read->dram_starts);
  }
}

}  // namespace fathom::fits
