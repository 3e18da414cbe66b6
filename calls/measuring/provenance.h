// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fathom/core/measurement.h>
#include <fathom/device/cuda/cuda_executor.h>

#include <string>

namespace fathom::calls {

std::string now_utc();  ///< ISO 8601, to the second

/// The commit that this was built from, "-dirty" behind it if files were changed; "unknown" outside git.
std::string built_from();

/// The provenance of measurements that start now.
Provenance provenance(const GpuInfo& gpu, const std::string& command_line);

}  // namespace fathom::calls
