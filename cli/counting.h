// Counting on behalf of a device: what `fathom count` and the report share.
#pragma once

#include <fathom/reports/results.h>
#include <fathom/store/profile.h>

namespace fathom::cli {

/// The same algorithm. Throws UsageError when it has no kernels that the counting executor can run.
const Algorithm& countable(const Algorithm& algorithm);

/// One run on the grid that the profile's GPU would see.
reports::CountReport count_report(const CountCase& one, const DeviceProfile& profile,
                                  const std::vector<MachineChoice>& machines = {});

}  // namespace fathom::cli
