#pragma once

#include <string>

namespace fathom {

/// The NVIDIA driver's version as NVML gives it ("580.159.04"); "unknown" where NVML is not to be had.
std::string driver_version();

}  // namespace fathom
