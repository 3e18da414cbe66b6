// SPDX-License-Identifier: Apache-2.0
// How GPUs of this machine are linked, as NVML sees it.
#pragma once

#include <fathom/model/links.h>

#include <string>
#include <vector>

namespace fathom {

/// Every pair of these GPUs, numbered in their order: linked by NVLink; by PCIe, if one can read the other's
/// memory; else through the host. Empty if NVML does not say. `bus_ids` are GpuInfo::bus_id.
std::vector<LinkedPair> linked_pairs(const std::vector<std::string>& bus_ids,
                                     const char* nvml_library = "libnvidia-ml.so.1");

}  // namespace fathom
