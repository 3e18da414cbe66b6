#pragma once

#include <fathom/calls/listener.h>
#include <fathom/store/profile.h>

#include <filesystem>
#include <string>

namespace fathom::calls {

struct CalibrateOptions {
  std::filesystem::path file;  ///< empty: in the user's profile directory, named after the GPU
  std::string name;            ///< of the profile; empty: derived from the GPU's
  int gpu = 0;
  bool quick = false;   ///< coarser sweeps, about 10 s
  bool force = false;   ///< write the profile even if its measurements are implausible, and mark it so
  std::string command;  ///< recorded in the profile
};

struct Calibrated {
  DeviceProfile profile;
  std::filesystem::path file;  ///< where it was written
};

/// Measures the GPU and writes its profile. Throws std::invalid_argument for a name that `device` would not
/// find; and what claim_profile(), CudaExecutor, measure_all(), check_plausible() and the listener throw.
/// Nothing is written then.
Calibrated calibrate(const CalibrateOptions& options, const Listener& listener);

}  // namespace fathom::calls
