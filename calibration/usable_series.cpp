// SPDX-License-Identifier: Apache-2.0
#include <fathom/calibration/least_squares.h>
#include <fathom/calibration/plausible.h>
#include <fathom/calibration/usable_series.h>
#include <fathom/model/constants.h>
#include <fmt/format.h>

#include <algorithm>

namespace fathom {
namespace {

std::string describe(const Series& series) {
  std::string text = series.benchmark;
  for (const auto& [key, value] : series.coordinates) text += fmt::format(" {}={:g}", key, value);
  return text;
}

}  // namespace

double median(const Series& series) {
  return quartiles(series.samples).median;
}

UsableSeries::UsableSeries(DeviceProfile& profile) {
  for (const Series& series : profile.series) {
    if (const auto reason = why_left_out(series))
      profile.warnings.push_back(fmt::format("{} left out: {}", describe(series), *reason));
    else
      by_benchmark_[series.benchmark].push_back(&series);
  }
}

std::vector<const Series*> UsableSeries::of(const Benchmark& benchmark,
                                            std::initializer_list<Coordinate> keys) const {
  const auto found = by_benchmark_.find(benchmark.name);
  if (found == by_benchmark_.end()) return {};
  std::vector<const Series*> series;
  for (const Series* one : found->second)
    if (std::all_of(keys.begin(), keys.end(),
                    [&](const Coordinate& key) { return one->coordinates.contains(key); }))
      series.push_back(one);
  return series;
}

const Series* UsableSeries::one(const Benchmark& benchmark) const {
  const auto series = of(benchmark);
  return series.empty() ? nullptr : series.front();
}

void set_constant(DeviceProfile& profile, std::string_view wanted, const Estimate& estimate) {
  constant_named(wanted).member.of(profile.machine) = estimate.value;
  profile.estimates[std::string(wanted)] = estimate;
}

void set_constant(DeviceProfile& profile, std::string_view wanted, double value,
                  const std::vector<double>& draws) {
  set_constant(profile, wanted, {value, percentile_interval(draws, value)});
}

}  // namespace fathom
