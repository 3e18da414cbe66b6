// SPDX-License-Identifier: Apache-2.0
#include <fathom/calibration/fit_level.h>
#include <fathom/calibration/fits/fits.h>
#include <fmt/format.h>

#include <map>

namespace fathom::fits {

Line fitted_line(const std::vector<std::pair<double, double>>& points) {
  double x = 0, y = 0, xx = 0, xy = 0;
  for (const auto& [px, py] : points) x += px / double(points.size()), y += py / double(points.size());
  for (const auto& [px, py] : points) xx += (px - x) * (px - x), xy += (px - x) * (py - y);
  const double slope = xy / xx;
  return {y - slope * x, slope};
}

double relative_slope(const std::vector<std::pair<double, double>>& points) {
  double weights = 0, mean_x = 0, mean_y = 0, xx = 0, xy = 0;
  for (const auto& [x, y] : points) {
    weights += 1 / (y * y);
    mean_x += x / (y * y);
    mean_y += 1 / y;
  }
  mean_x /= weights;
  mean_y /= weights;
  for (const auto& [x, y] : points) {
    xx += (x - mean_x) * (x - mean_x) / (y * y);
    xy += (x - mean_x) * (y - mean_y) / (y * y);
  }
  return xy / xx;
}

SeriesList Fitting::clocked(const Benchmark& benchmark, std::initializer_list<Coordinate> keys) const {
  SeriesList series = usable.of(benchmark, keys);
  std::erase_if(series, [](const Series* one) { return !(one->clock_hz > 0); });
  return series;
}

TimeOf Fitting::resampled(const SeriesList& series) {
  std::map<const Series*, double> times;
  for (const Series* one : series) times[one] = resampled_median(one->samples, random);
  return [times](const Series& one) { return times.at(&one); };
}

void Fitting::set(std::string_view constant, const SeriesList& series, const Value& value) {
  if (series.empty()) return;
  const double estimate = value(series, median);
  const Range range = constant_named(constant).range;
  if (!range.holds(estimate)) {
    profile.warnings.push_back(fmt::format("{}: not fitted, {:.4g} is outside {:g} to {:g}", constant,
                                           estimate, range.lowest, range.highest));
    return;
  }
  constexpr int resamples = 100;
  std::vector<double> draws;
  for (int i = 0; i < resamples; ++i) draws.push_back(value(series, resampled(series)));
  set_constant(profile, constant, estimate, draws);
}

}  // namespace fathom::fits
