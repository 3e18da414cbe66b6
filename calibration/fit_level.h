// Fits the law of one memory level to its saturation sweep.
#pragma once

#include <fathom/store/profile.h>

#include <random>

namespace fathom {

/// One point of a sweep: clocks per access of one thread, at X resident threads per core with I accesses in
/// flight.
struct SweepPoint {
  double X, I;
  std::vector<double> clocks;  ///< one per repeat
};

/// A point for every series, which must have the coordinates X, I and accesses; seconds become clocks by the
/// clock seen during the series.
std::vector<SweepPoint> sweep_points(const std::vector<const Series*>& series);

struct LevelFit {
  std::optional<Estimate> latency, bandwidth, issue,
      sharpness;  ///< absent where the data do not determine them
  std::optional<FitQuality> quality;
  std::vector<std::string> warnings;
};

/// Least squares on the log of τ(X, I) = ((X/B)^s + (L/I + c)^s)^(1/s), models.md §9, each point counting as
/// much as any other. The 95 % intervals are a bootstrap's: points are drawn with replacement, and within
/// each point its repeats, so that they hold both the noise and what the law leaves unexplained. L or B known
/// no better than within a factor of two is left absent.
LevelFit fit_level(std::string_view level, const std::vector<SweepPoint>& points, std::mt19937_64& random);

/// The law itself, in clocks per access of one thread.
double clocks_per_access(double latency, double bandwidth, double issue, double sharpness, double X,
                         double I);

/// Median of `count` values drawn from `values` with replacement: one repeat of a bootstrap.
double resampled_median(const std::vector<double>& values, std::mt19937_64& random);

}  // namespace fathom
