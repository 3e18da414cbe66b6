// SPDX-License-Identifier: Apache-2.0
// The work of algorithms whose kernel is plain CUDA (algorithms/cuda_kernel.h): what its machine code tells.
#pragma once

#include <fathom/algorithms/case.h>

namespace fathom {

/// For every n; the problem's own does not matter. The algorithm must have a cuda_kernel. Compiles it for the
/// architecture, through the kernel cache, and disassembles it. Throws KernelFailure for what does not
/// compile, DeviceUnavailable without NVRTC, DisassemblerUnavailable, and std::invalid_argument for an
/// architecture that is not listed in model/architectures.h.
AlgorithmWork work_by_code(const Case& of, int architecture);

}  // namespace fathom
