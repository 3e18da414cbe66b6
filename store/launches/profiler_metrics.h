// SPDX-License-Identifier: Apache-2.0
// What NVIDIA's metrics say of a launch: one table of their names.
#pragma once

#include <fathom/store/launches/launch_report.h>
#include <fathom/store/launches/profiler_table.h>

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fathom {

/// Where a number of a launch comes from. Of several rows with one quantity, the first counts whose metrics
/// the report has.
struct MetricSource {
  std::string_view quantity;  ///< of launch_numbers, all_warp_clocks, all_demands, or "blocks", …
  std::string_view metrics;   ///< "a", or a sum: "a + b - c"
  double factor = 1;
};
std::span<const MetricSource> metric_sources();

/// The launches of a profiler's table. `where` names it in errors. Throws FormatError for a launch whose grid
/// or block it does not tell, and for launches of several GPUs.
LaunchReport launch_report(const std::vector<ProfiledLaunch>& profiled, const std::string& where);

/// What the law needs and no launch of the report has.
struct Lacking {
  std::string_view what;             ///< "barriers"
  std::vector<std::string> metrics;  ///< that would bring it, by NVIDIA's names
};
/// In the order of the table. Demands that no metric counts are not listed.
std::vector<Lacking> lacking(const LaunchReport& report);
/// "ncu --metrics … --csv --page raw --print-units base PROGRAM": what brings all that the law needs.
std::string profiler_command(const std::vector<Lacking>& lacking);

/// "void sort::Merge<int>(const int *)" → "Merge": without result, scopes, template arguments and parameters.
std::string short_kernel_name(std::string_view full);

}  // namespace fathom
