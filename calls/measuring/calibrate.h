// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fathom/calls/listener.h>
#include <fathom/calls/options.h>
#include <fathom/store/profile.h>

#include <filesystem>
#include <vector>

namespace fathom::calls {

struct Calibrated {
  DeviceProfile profile;
  std::filesystem::path file;  ///< where it was written
  std::vector<Spent> spent;    ///< in the order of the work
};

/// Measures the GPU and writes its profile, or does what links.h says. Throws std::invalid_argument for a
/// name that `device` would not find; and what claim_profile(), CudaExecutor, measure_all(),
/// check_plausible() and the listener throw. Nothing is written then.
Calibrated calibrate(const CalibrateOptions& options, const Listener& listener);

}  // namespace fathom::calls
