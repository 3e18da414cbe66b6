// SPDX-License-Identifier: Apache-2.0
// Fits the law of one memory level to its saturation sweep.
#pragma once

#include <fathom/core/progress.h>
#include <fathom/store/profile.h>

#include <random>

namespace fathom {

/// Lower bounds of fitted shapes. A fit that ends there found no knee, or no step from the L2 to DRAM.
inline constexpr double least_sharpness = 1, least_l2_steepness = 0.5;

/// One point of a sweep: clocks per access of one thread, at X resident threads per core with I accesses in
/// flight.
struct SweepPoint {
  double X, I;
  std::vector<double> clocks;  ///< one per repeat
};

/// One point per series, which must have the coordinates X, I and accesses. Seconds are converted by the
/// clock observed during the series.
std::vector<SweepPoint> sweep_points(const std::vector<const Series*>& series);

struct LevelFit {
  std::optional<Estimate> latency, bandwidth, issue,
      sharpness;  ///< absent if the data do not determine them
  std::optional<FitQuality> quality;
  std::vector<std::string> warnings;
};

/// Least squares on the log of τ(X, I) = ((X/B)^s + (L/I + c)^s)^(1/s), a smooth knee, with equal weights.
/// The 95 % intervals come from a bootstrap that draws points with replacement, and repeats within each
/// point, so that they cover both the noise and the law's own error. L or B is absent if its uncertainty
/// exceeds a factor of two.
LevelFit fit_level(std::string_view level, const std::vector<SweepPoint>& points, std::mt19937_64& random,
                   const Progress& progress = {});

/// The law itself, in clocks per access of one thread.
double clocks_per_access(double latency, double bandwidth, double issue, double sharpness, double X,
                         double I);

/// Median of `count` values drawn from `values` with replacement: one repeat of a bootstrap.
double resampled_median(const std::vector<double>& values, std::mt19937_64& random);

}  // namespace fathom
