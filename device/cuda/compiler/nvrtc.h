// SPDX-License-Identifier: Apache-2.0
// The run-time compiler, part of every build: it compiles without a GPU. Its library is loaded on first use:
// a command that compiles nothing does not pay for its 100 MB. It is $FATHOM_NVRTC, else libnvrtc.so.13 or
// .12 where the loader finds it, else that of the toolkit that Fathom was built with or of /usr/local/cuda.
// It must be of version 12.8 or newer.
#pragma once

#include <fathom/device/cuda/cuda_executor.h>
#include <fathom/model/architectures.h>

#include <string>
#include <vector>

namespace fathom::nvrtc {

/// The options of every compilation, besides the architecture. Line information does not change the
/// instructions; it says from which source lines they come (device/code/disassembly.h).
inline constexpr const char* options[] = {"--std=c++20", "--device-as-default-execution-space",
                                          "--generate-line-info"};

struct Program {
  std::string text;
  std::string expression;  ///< names the __global__ function
  int compute_capability;
  std::span<const HeaderText> headers;
};

/// Throws KernelFailure with the compiler's first error (compiler_log.h) or, if the program has headers, its
/// whole log; DeviceUnavailable if no library is found that is new enough, or if it does not compile for the
/// architecture (Architecture::compiled_by); and what check_interruption() throws, with CUDA 13 or newer
/// while it compiles.
CompiledKernel compile(const Program& program);

/// Throws DeviceUnavailable if no library is found.
ToolkitVersion version();

}  // namespace fathom::nvrtc
