// Counting for a device, shared by `fathom count` and the report.
#pragma once

#include <fathom/reports/results.h>
#include <fathom/store/profile.h>

namespace fathom::cli {

/// The same algorithm. Throws UsageError if it has no kernels that the counting executor can run.
const Algorithm& countable(const Algorithm& algorithm);

/// One run with the grid of the profile's GPU. Throws what count() throws.
///
/// With an architecture (90 for sm_90), also the kernels' instructions; the grid is then that of the compiled
/// kernels' registers, not of their estimate. Throws what compile_kernel() and count_instructions() throw.
reports::CountReport count_report(const CountCase& one, const DeviceProfile& profile,
                                  const std::vector<MachineChoice>& machines, const Progress& progress,
                                  std::optional<int> architecture = std::nullopt);

}  // namespace fathom::cli
