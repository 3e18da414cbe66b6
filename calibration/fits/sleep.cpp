// SPDX-License-Identifier: Apache-2.0
#include <fathom/calibration/fits/fits.h>

namespace fathom::fits {

/// The series of 2500 ns is used: the sleep that scan-lookback requests.
void sleep(Fitting& fit) {
  SeriesList series = fit.clocked(benchmarks::sleep, {along::nanoseconds});
  std::erase_if(series, [](const Series* one) { return at(*one, along::nanoseconds) != 2500; });
  fit.set("sleep", series, [](const SeriesList& points, const TimeOf& time) {
    const Series& one = *points.front();
    return time(one) / one.clock_hz / (1e-9 * at(one, along::nanoseconds));
  });
}

}  // namespace fathom::fits
