// SPDX-License-Identifier: Apache-2.0
// Counting for a device.
#pragma once

#include <fathom/calls/options.h>
#include <fathom/core/progress.h>
#include <fathom/reports/results.h>
#include <fathom/store/profile.h>

#include <optional>
#include <vector>

namespace fathom::calls {

/// The machine of the theory that is asked for, if one is. Throws std::invalid_argument for an unknown one.
std::vector<MachineChoice> machines_of(const CountOptions& options, const Machine<double>& device);

/// "sm_90" → 90, if the options ask for instructions. Throws std::invalid_argument for an architecture whose
/// machine code is not understood.
std::optional<int> architecture_of(const CountOptions& options);

/// Throws std::runtime_error if counting might need more than so many bytes of host memory, 0 for those that
/// are free, and what count_bytes() throws.
void check_host_memory(const Case& one, const Machine<double>& machine, double limit);

/// One run with the grid of the profile's GPU. Throws what count() throws.
///
/// With an architecture (90 for sm_90), also the kernels' instructions; the grid is then that of the
/// registers of the kernels compiled for it. Throws what compile_kernel() and count_instructions() throw.
reports::CountReport count_report(const Case& one, const DeviceProfile& profile,
                                  const std::vector<MachineChoice>& machines, const Progress& progress,
                                  std::optional<int> architecture = std::nullopt);

}  // namespace fathom::calls
