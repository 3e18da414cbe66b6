// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fathom/core/measurement.h>
#include <fathom/device/cuda/cuda_executor.h>

#include <string>

namespace fathom::calls {

std::string now_utc();  ///< ISO 8601, to the second

/// The provenance of measurements that start now.
Provenance provenance(const GpuInfo& gpu, const std::string& command_line);

}  // namespace fathom::calls
