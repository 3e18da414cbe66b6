// SPDX-License-Identifier: Apache-2.0
#include <fathom/calibration/fit_level.h>
#include <fathom/calibration/fits/fits.h>

#include <algorithm>
#include <utility>

namespace fathom::fits {
namespace {

constexpr int resamples = 200;

/// A sequence of k launches costs launch_overhead + k·kernel_gap. The gap is the slope over k; the overhead
/// is the time of one empty kernel minus one gap. The line's intercept would estimate the same number, but
/// mainly from the longest sequences.
struct LaunchCost {
  double overhead, gap;
};

template <class Median>
LaunchCost launch_cost(const Series& empty, const std::vector<const Series*>& sequences, Median median) {
  std::vector<std::pair<double, double>> points;
  for (const Series* series : sequences)
    points.emplace_back(series->coordinates.at(along::kernels), median(series->samples));
  const double gap = relative_slope(points);
  return {std::max(0.0, median(empty.samples) - gap), gap};
}

}  // namespace

void launches(Fitting& fit) {
  const Series* empty = fit.usable.one(benchmarks::launch_empty);
  const auto sequences = fit.usable.of(benchmarks::launch_gap, {along::kernels});
  const bool varied = std::any_of(sequences.begin(), sequences.end(), [&](const Series* series) {
    return series->coordinates.at(along::kernels) != sequences.front()->coordinates.at(along::kernels);
  });
  if (!empty || !varied) {
    fit.profile.warnings.push_back(
        "launches: not fitted, launch-empty or launch-gap at two lengths is missing");
    return;
  }
  const auto plain_median = [](const std::vector<double>& samples) { return quartiles(samples).median; };
  const LaunchCost cost = launch_cost(*empty, sequences, plain_median);
  if (!(cost.gap > 0)) {
    fit.profile.warnings.push_back("launches: not fitted, the time does not grow with the number of kernels");
    return;
  }
  if (cost.overhead == 0)
    fit.profile.warnings.push_back("launches: one empty kernel takes no longer than one more in a sequence");
  std::vector<double> overheads, gaps;
  for (int i = 0; i < resamples; ++i) {
    const LaunchCost drawn = launch_cost(*empty, sequences, [&](const std::vector<double>& samples) {
      return resampled_median(samples, fit.random);
    });
    overheads.push_back(drawn.overhead);
    gaps.push_back(drawn.gap);
  }
  set_constant(fit.profile, "launch_overhead", cost.overhead, overheads);
  set_constant(fit.profile, "kernel_gap", cost.gap, gaps);
}

}  // namespace fathom::fits
