// SPDX-License-Identifier: Apache-2.0
// Predictions of a launch from the machine code of its kernel.
#pragma once

#include <fathom/calls/options.h>
#include <fathom/reports/machine_code.h>
#include <fathom/store/profile.h>

#include <string>

namespace fathom::calls {

/// True if the name of a file says that it has machine code, or what machine code is made of: *.cubin,
/// *.fatbin, *.ptx.
bool is_machine_code(const std::string& name);

/// The time of one launch of a kernel of `file` on the profile's GPU. Throws std::invalid_argument for a
/// kernel that the file does not have, or without a name if it has several, for a launch's shape and trips
/// that are not such or that the kernel does not allow, std::runtime_error for a kernel that the law cannot
/// price, BlockTooLarge; and what read_whole(), kernels_of(), disassemble(), assumed_work(), apply_what_if(),
/// parse_caches() and the law throw.
reports::MachineCodePrediction predict_machine_code(const std::string& file,
                                                    const MachineCodeOptions& options, DeviceProfile profile);

}  // namespace fathom::calls
