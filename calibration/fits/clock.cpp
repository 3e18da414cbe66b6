// SPDX-License-Identifier: Apache-2.0
#include <fathom/calibration/fits/fits.h>
#include <fmt/format.h>

#include <algorithm>

namespace fathom::fits {

void clock(Fitting& fit) {
  std::vector<double> samples;
  for (const Series* series : fit.usable.of(benchmarks::clock))
    samples.insert(samples.end(), series->samples.begin(), series->samples.end());
  if (samples.empty()) {
    fit.profile.warnings.push_back("clock: not measured, the value there was is kept");
    return;
  }
  const auto [low, high] = std::minmax_element(samples.begin(), samples.end());
  const double median = quartiles(samples).median;
  if (*high - *low > 0.01 * median)
    fit.profile.warnings.push_back(
        fmt::format("clock: it ran between {:.0f} and {:.0f} MHz", *low / 1e6, *high / 1e6));
  fit.machine.clock = Hertz{median};
}

}  // namespace fathom::fits
