#pragma once

#include <fathom/reports/results.h>

#include <string>
#include <vector>

namespace fathom::cli {

/// Predicted against measured under the law named, or under both, the calibrated one first, when none is
/// named.
std::vector<reports::LawComparison> compare_laws(const DeviceProfile& profile, const Dataset& dataset,
                                                 const std::string& law, double smallest_n = 0);

}  // namespace fathom::cli
