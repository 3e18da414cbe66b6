// Counting for a device.
#pragma once

#include <fathom/core/progress.h>
#include <fathom/reports/results.h>
#include <fathom/store/profile.h>

#include <string>

namespace fathom::calls {

/// A machine of the theory, as it is asked for.
struct MachineOptions {
  std::string kind;  ///< "dmm", "umm", "agpu"
  int width = 32;    ///< w banks of a DMM or UMM, b cores of an AGPU's multiprocessor
  int latency = 400;
  u64 threads = 1 << 14;  ///< p threads in a DMM or UMM, p cores of an AGPU
  u64 memory_words = 0;   ///< M of an AGPU's multiprocessor; 0: the device's
};
/// Throws std::invalid_argument for an unknown kind.
MachineChoice machine_choice(const MachineOptions& options, const Machine<double>& device);

/// "sm_90" → 90. Throws std::invalid_argument for an architecture whose machine code is not understood.
int parse_architecture(const std::string& text);

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
