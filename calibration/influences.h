// SPDX-License-Identifier: Apache-2.0
// How much each constant of a machine moves predictions, and how much of their uncertainty it makes.
#pragma once

#include <fathom/model/laws/sensitivity.h>
#include <fathom/store/profile.h>

#include <optional>
#include <string>
#include <vector>

namespace fathom {

/// The standard deviation of log c that a 95 % interval of c stands for. Absent without an interval, or if it
/// reaches down to 0.
std::optional<double> sigma_of_log(const std::optional<Interval>& interval);

/// A prediction, as its influences need it.
struct Sensed {
  std::string what;  ///< "sort-kway, u32, n = 2^20"
  std::vector<Sensitivity> sensitivities;
  std::optional<double> sigma;  ///< of log T, as the law states it
};

/// How much a constant moves a set of predictions. A sensitivity is |∂ log T/∂ log c|.
struct Influence {
  std::string constant;
  double mean = 0, largest = 0;  ///< sensitivities; a prediction that does not list the constant has 0
  std::string largest_in;        ///< Sensed::what
  /// Root mean square over the predictions of the sensitivity times the σ of log c, of which the constant's
  /// 95 % interval is 1.96 to either side. Absent without an interval.
  std::optional<double> sigma;
  /// Its square over the mean square of the predictions' own σ. Absent if one of them has none.
  std::optional<double> share;
};

/// The influence of each constant that the predictions list, the largest mean first.
std::vector<Influence> influences(const DeviceProfile& profile, const std::vector<Sensed>& predictions);

}  // namespace fathom
