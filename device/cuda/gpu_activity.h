// SPDX-License-Identifier: Apache-2.0
// Other activity on a GPU, as NVML sees it.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace fathom {

struct GpuActivity {
  struct Process {
    int pid;                      ///< of the host: in a container it may be another process's
    std::optional<double> bytes;  ///< of GPU memory
  };
  std::vector<Process> processes;   ///< with a context on the GPU. In a container often empty.
  std::optional<int> busy_percent;  ///< share of the last sampling period, up to 1 s, with a kernel running
  std::optional<int> celsius;
  std::optional<double> watts, watts_allowed;
  std::vector<std::string> slowed_by;  ///< why the clock is lower than it could be: "the power limit"
};

/// `bus_id` is GpuInfo::bus_id. What NVML does not say is absent: everything, if there is no NVML.
GpuActivity gpu_activity(const std::string& bus_id, const char* nvml_library = "libnvidia-ml.so.1");

/// Causes that may have disturbed measurements, one line each, with figures. Empty if NVML saw nothing.
/// `before`: before this process used the GPU. `at_end`: right after the measurements. `afterwards`: when
/// this process had left the GPU idle for some seconds.
std::vector<std::string> disturbances(const GpuActivity& before, const GpuActivity& at_end,
                                      const GpuActivity& afterwards, int own_pid);

}  // namespace fathom
