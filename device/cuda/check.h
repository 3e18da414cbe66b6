// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fathom/device/executor.h>

#include <cuda_runtime.h>

#include <string>

namespace fathom {

[[noreturn]] inline void fail(cudaError_t error, const std::string& what) {
  throw KernelFailure(what + ": " + cudaGetErrorString(error));
}
/// Throws KernelFailure, which names `what`, for an error of the CUDA runtime.
inline void check(cudaError_t error, const std::string& what) {
  if (error != cudaSuccess) fail(error, what);
}

}  // namespace fathom
