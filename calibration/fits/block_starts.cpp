// SPDX-License-Identifier: Apache-2.0
#include <fathom/calibration/fit_level.h>
#include <fathom/calibration/fits/fits.h>
#include <fathom/calibration/least_squares.h>

#include <map>

namespace fathom::fits {
namespace {

constexpr int resamples = 200;

}  // namespace

/// From the slopes of seconds over blocks: block_start from the narrowest blocks, warp_start from the widest,
/// per warp.
void block_starts(Fitting& fit) {
  std::map<double, std::vector<const Series*>> by_threads;
  for (const Series* series : fit.usable.of(benchmarks::block_start, {along::threads, along::blocks}))
    by_threads[series->coordinates.at(along::threads)].push_back(series);
  std::erase_if(by_threads, [](const auto& item) { return item.second.size() < 2; });
  if (by_threads.size() < 2) {
    fit.profile.warnings.push_back(
        "block-start: not fitted, two widths with two numbers of blocks each are missing");
    return;
  }
  const auto clocks = [&](const std::vector<const Series*>& series, auto median_of) {
    std::vector<std::pair<double, double>> points;
    for (const Series* one : series)
      points.emplace_back(one->coordinates.at(along::blocks), median_of(one->samples));
    return relative_slope(points) * fit.profile.machine.multiprocessors * fit.profile.machine.clock.value;
  };
  const auto estimate = [&](const std::vector<const Series*>& series, double divisor) {
    const auto plain_median = [](const std::vector<double>& samples) { return quartiles(samples).median; };
    const double value = clocks(series, plain_median) / divisor;
    std::vector<double> draws;
    for (int i = 0; i < resamples; ++i)
      draws.push_back(
          clocks(series, [&](const auto& samples) { return resampled_median(samples, fit.random); }) /
          divisor);
    return Estimate{value, percentile_interval(draws, value)};
  };
  const auto& [widest, of_widest] = *by_threads.rbegin();
  set_constant(fit.profile, "block_start", estimate(by_threads.begin()->second, 1));
  set_constant(fit.profile, "warp_start", estimate(of_widest, widest / fit.profile.machine.warp_width));
}

}  // namespace fathom::fits
