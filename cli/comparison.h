#pragma once

#include <fathom/reports/results.h>

#include <string>
#include <vector>

namespace fathom::cli {

/// Predicted against measured under the named law; under both, the calibrated one first, if `law` is empty.
std::vector<reports::LawComparison> compare_laws(const DeviceProfile& profile, const Dataset& dataset,
                                                 const std::string& law, double smallest_n = 0);

}  // namespace fathom::cli
