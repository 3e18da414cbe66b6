// SPDX-License-Identifier: Apache-2.0
#include <fathom/device/cuda/driver_version.h>
#include <fathom/device/cuda/nvml.h>

namespace fathom {

std::string driver_version() {
  char text[96] = {};
  return Nvml().call("nvmlSystemGetDriverVersion", &text[0], unsigned(sizeof text)) ? text : "unknown";
}

}  // namespace fathom
