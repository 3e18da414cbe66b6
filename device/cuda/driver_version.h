// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace fathom {

/// The NVIDIA driver's version as NVML gives it ("580.159.04"); "unknown" if NVML is not available.
std::string driver_version();

}  // namespace fathom
