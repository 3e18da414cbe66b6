// SPDX-License-Identifier: Apache-2.0
// Numbers with their uncertainty.
#pragma once

#include <optional>

namespace fathom {

struct Interval {
  double low, high;  ///< 95 %
};

/// A fitted number with its 95 % interval. Published constants have no interval.
struct Estimate {
  double value = 0;
  std::optional<Interval> interval{};
};

}  // namespace fathom
