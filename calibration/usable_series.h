// SPDX-License-Identifier: Apache-2.0
// The raw series of a calibration, and the constants that fits set from them.
#pragma once

#include <fathom/core/benchmarks.h>
#include <fathom/store/profile.h>

#include <initializer_list>
#include <map>
#include <string>
#include <vector>

namespace fathom {

double median(const Series& series);

/// The series to fit, by benchmark. Disturbed series are excluded, with a warning in the profile, which must
/// outlive this.
class UsableSeries {
 public:
  explicit UsableSeries(DeviceProfile& profile);

  /// The benchmark's series that have all coordinates of `keys`.
  std::vector<const Series*> of(const Benchmark& benchmark,
                                std::initializer_list<Coordinate> keys = {}) const;
  /// The first one; nullptr if there is none.
  const Series* one(const Benchmark& benchmark) const;

 private:
  std::map<std::string, std::vector<const Series*>, std::less<>> by_benchmark_;
};

void set_constant(DeviceProfile& profile, std::string_view wanted, const Estimate& estimate);
/// The value, with the interval of the resampled values.
void set_constant(DeviceProfile& profile, std::string_view wanted, double value,
                  const std::vector<double>& draws);

}  // namespace fathom
