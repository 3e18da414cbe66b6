// Fits the rates and latencies of single resources, and how they overlap: the constants of the law `counted`.
#pragma once

#include <fathom/calibration/usable_series.h>
#include <fathom/core/progress.h>

#include <random>

namespace fathom {

/// Fills Rates of the profile's machine, as far as the series of a calibration with rates determine them:
/// what is missing stays absent. Clock, limits, counts and L2 must be known. Without any such series, none is
/// set, and nothing is said.
void fit_rates(DeviceProfile& profile, const UsableSeries& usable, std::mt19937_64& random,
               const Progress& progress = {});

}  // namespace fathom
