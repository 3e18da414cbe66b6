// SPDX-License-Identifier: Apache-2.0
#include <fathom/calibration/influences.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace fathom {

std::optional<double> sigma_of_log(const std::optional<Interval>& interval) {
  if (!interval || !(interval->low > 0)) return std::nullopt;
  return std::log(interval->high / interval->low) / (2 * 1.96);
}

std::vector<Influence> influences(const DeviceProfile& profile, const std::vector<Sensed>& predictions) {
  const double count = double(predictions.size());
  std::map<std::string, Influence> by_constant;
  std::map<std::string, double> mean_squares;
  double variance = 0;
  bool has_variance = true;
  for (const Sensed& prediction : predictions) {
    has_variance = has_variance && prediction.sigma;
    variance += std::pow(prediction.sigma.value_or(0), 2) / count;
    for (const auto& [constant, value] : prediction.sensitivities) {
      const double sensitivity = std::abs(value);
      Influence& influence = by_constant[constant];
      influence.constant = constant;
      influence.mean += sensitivity / count;
      mean_squares[constant] += sensitivity * sensitivity / count;
      if (sensitivity <= influence.largest) continue;
      influence.largest = sensitivity;
      influence.largest_in = prediction.what;
    }
  }
  std::vector<Influence> all;
  for (auto& [constant, influence] : by_constant) {
    if (const auto sigma = sigma_of_log(profile.interval_of(constant))) {
      influence.sigma = *sigma * std::sqrt(mean_squares[constant]);
      if (has_variance && variance > 0) influence.share = std::pow(*influence.sigma, 2) / variance;
    }
    all.push_back(std::move(influence));
  }
  std::ranges::stable_sort(all, std::greater(), &Influence::mean);
  return all;
}

}  // namespace fathom
