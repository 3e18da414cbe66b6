// SPDX-License-Identifier: Apache-2.0
#include <fathom/core/measurement.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace fathom {

Quartiles quartiles(std::vector<double> samples) {
  if (samples.empty()) throw std::invalid_argument("no samples to take quartiles of");
  std::sort(samples.begin(), samples.end());
  const auto at = [&](double share) {
    const double position = share * double(samples.size() - 1);
    const auto below = std::size_t(position);
    const auto above = std::min(below + 1, samples.size() - 1);
    return std::lerp(samples[below], samples[above], position - double(below));
  };
  return {at(0.25), at(0.5), at(0.75)};
}

bool is_disturbed(const Series& series) {
  constexpr double widest = 0.1, highest = 2;  // of the median
  if (series.clock_moved) return true;
  if (series.samples.empty()) return false;
  const double tick = series.unit == "s" ? 0.5e-6 : 0;
  const auto [low, median, high] = quartiles(series.samples);
  return high - low > widest * std::abs(median) + tick ||
         *std::max_element(series.samples.begin(), series.samples.end()) > highest * std::abs(median) + tick;
}

}  // namespace fathom
