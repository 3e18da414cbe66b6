// SPDX-License-Identifier: Apache-2.0
// Ends the test program as skipped (exit code 77), never as passed, where it lacks something.
#pragma once

#include <fathom/device/cuda/compiler/nvrtc.h>
#include <fathom/device/cuda/cuda_executor.h>
#include <fathom/device/cuda/nccl.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace fathom::tests {

[[noreturn]] inline void skip(const std::string& reason) {
  std::printf("skipped: %s\n", reason.c_str());
  std::exit(77);
}

/// The run-time compiler.
inline void need_compiler() try { nvrtc::version(); } catch (const DeviceUnavailable& unavailable) {
  skip(unavailable.what());
}

/// A GPU, and a build that runs something on one.
inline void skip_without_gpu() try {
  if (present_gpus().empty()) skip("no GPU is present");
} catch (const DeviceUnavailable& unavailable) {
  skip(unavailable.what());
}

/// Several GPUs, which need not exchange data.
inline void skip_with_one_gpu() try {
  if (present_gpus().size() < 2) skip("fewer than two GPUs are present");
} catch (const DeviceUnavailable& unavailable) {
  skip(unavailable.what());
}

/// Several GPUs, and the library through which they exchange data.
inline void skip_without_several_gpus() try {
  skip_with_one_gpu();
  nccl::library();
} catch (const DeviceUnavailable& unavailable) {
  skip(unavailable.what());
}

}  // namespace fathom::tests
