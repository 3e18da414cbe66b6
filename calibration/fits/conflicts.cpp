// SPDX-License-Identifier: Apache-2.0
#include <fathom/calibration/fits/fits.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace fathom::fits {

/// A conflict of degree β costs β wavefronts: at a fixed X, time must be linear in the degree.
void check_conflicts(Fitting& fit) {
  std::map<double, std::vector<std::pair<double, double>>> by_X;  // degree, seconds per access
  for (const Series* series : fit.usable.of(benchmarks::conflict, {along::degree, along::X, along::accesses}))
    by_X[series->coordinates.at(along::X)].emplace_back(
        series->coordinates.at(along::degree), median(*series) / series->coordinates.at(along::accesses));
  for (const auto& [X, points] : by_X) {
    if (points.size() < 4) continue;
    double mean_degree = 0, mean_time = 0;
    for (const auto& [degree, time] : points) {
      mean_degree += degree / double(points.size());
      mean_time += time / double(points.size());
    }
    double dd = 0, dt = 0, worst = 0;
    for (const auto& [degree, time] : points) {
      dd += (degree - mean_degree) * (degree - mean_degree);
      dt += (degree - mean_degree) * (time - mean_time);
    }
    for (const auto& [degree, time] : points)
      worst = std::max(worst, std::abs(time - mean_time - dt / dd * (degree - mean_degree)) / mean_time);
    if (worst > 0.2 || !(dt > 0))
      fit.profile.warnings.push_back(
          fmt::format("shared: at X = {:g} time does not grow linearly with the conflict degree: off the "
                      "line by up to {:.0f} %",
                      X, 100 * worst));
  }
}

}  // namespace fathom::fits
