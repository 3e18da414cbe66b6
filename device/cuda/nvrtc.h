// The run-time compiler, loaded on first use: a command that compiles nothing does not pay for its 100 MB.
#pragma once

#include <fathom/device/cuda/cuda_executor.h>

#include <string>
#include <vector>

namespace fathom::nvrtc {

/// Of every compilation, besides the architecture. Line information does not change the instructions; it says
/// from which source lines they come (device/code/disassembly.h).
inline constexpr const char* options[] = {"--std=c++20", "--device-as-default-execution-space",
                                          "--generate-line-info"};

struct Program {
  std::string text;
  std::string expression;  ///< names the __global__ function
  int compute_capability;
  std::span<const HeaderText> headers;
};

/// Throws KernelFailure with the compiler's log, DeviceUnavailable when the library is not found.
CompiledKernel compile(const Program& program);

/// "13.0". Throws DeviceUnavailable.
std::string version();

}  // namespace fathom::nvrtc
