#pragma once

#include <fathom/reports/results.h>

#include <span>
#include <string>
#include <vector>

namespace fathom::cli {

/// Predicted against measured under each of the laws. Shows progress; the datasets must outlive the result.
/// Without `work`, that of work_lookup().
std::vector<reports::LawComparison> compare_laws(const DeviceProfile& profile,
                                                 std::span<const Dataset> datasets,
                                                 const std::vector<LawName>& laws, double smallest_n = 0,
                                                 const WorkLookup& work = {});

}  // namespace fathom::cli
