// SPDX-License-Identifier: Apache-2.0
// The fits of a machine's constants, one file for each benchmark or group of benchmarks, and what they share.
// fit_profile.cpp runs them, those of rates in the order of `of_rates`.
#pragma once

#include <fathom/calibration/usable_series.h>
#include <fathom/core/progress.h>
#include <fathom/model/constants.h>

#include <array>
#include <functional>
#include <random>
#include <string_view>
#include <utility>
#include <vector>

namespace fathom::fits {

using SeriesList = std::vector<const Series*>;
/// The time of a series: its median, or one of a bootstrap.
using TimeOf = std::function<double(const Series&)>;
/// A constant from the series, given their times.
using Value = std::function<double(const SeriesList&, const TimeOf&)>;

/// The profile whose constants are fitted, and what fits need for that.
struct Fitting {
  DeviceProfile& profile;
  Machine<double>& machine;  ///< of the profile
  const UsableSeries& usable;
  std::mt19937_64& random;  ///< the fits draw from it in turn
  const Progress progress;

  /// Usable series with a clock.
  SeriesList clocked(const Benchmark& benchmark, std::initializer_list<Coordinate> keys) const;
  /// Times of one draw of a bootstrap: always the same for a series.
  TimeOf resampled(const SeriesList& series);
  /// Sets the constant, with an interval from a bootstrap. It stays absent without series, and with a warning
  /// if the value lies outside its range.
  void set(std::string_view constant, const SeriesList& series, const Value& value);
};

inline double at(const Series& series, const Coordinate& coordinate) {
  return series.coordinates.at(coordinate);
}

template <class Rate>
double largest(const SeriesList& series, Rate rate) {
  double best = 0;
  for (const Series* one : series) best = std::max(best, rate(*one));
  return best;
}

struct Line {
  double at_zero, slope;
};
/// By least squares.
Line fitted_line(const std::vector<std::pair<double, double>>& points);
/// The slope of y over x by least squares on relative errors: a time's noise grows with it.
double relative_slope(const std::vector<std::pair<double, double>>& points);

// Each sets the constants that its benchmarks determine: what is missing stays absent.
void clock(Fitting& fit);
void saturation(Fitting& fit);
void check_latencies(Fitting& fit);
void check_copy(Fitting& fit);
void launches(Fitting& fit);
void block_starts(Fitting& fit);
void footprints(Fitting& fit);
void streams(Fitting& fit);
void random_sectors(Fitting& fit);
void pipes(Fitting& fit);
void latencies(Fitting& fit);
void instruction_fetch(Fitting& fit);
void turnover(Fitting& fit);
void sleep(Fitting& fit);
void knee(Fitting& fit);
void overlap(Fitting& fit);         ///< needs all rates above
void loaded_latency(Fitting& fit);  ///< needs overlap
void written_runs(Fitting& fit);
void atomics(Fitting& fit);
void check_conflicts(Fitting& fit);
void links(Fitting& fit);  ///< sets the curves of the machine's links; its pairs stay

/// The fits of the law `counted`'s rates, in the order in which they run. They draw from one sequence of
/// random numbers, so that a new one belongs at the end: elsewhere it shifts the intervals of those behind
/// it.
inline constexpr std::array of_rates{streams,           random_sectors, pipes,        latencies,
                                     instruction_fetch, turnover,       sleep,        knee,
                                     overlap,           loaded_latency, written_runs, atomics};

}  // namespace fathom::fits
