// Runs and checks real kernels on the GPU.
#pragma once

#include <fathom/algorithms/registry.h>
#include <fathom/device/cuda_executor.h>

namespace fathom {

struct BenchCase {
  const Algorithm* algorithm;
  Problem problem;  ///< its parameters are complete
  Input input = Input::random;
};

/// Bytes of device memory that a case needs, work space included: what is checked before anything starts.
std::size_t device_bytes(const BenchCase& bench_case);

/// Compiles the kernels of all cases into the cache, on all CPU cores.
void warm_cache(CudaExecutor& executor, const std::vector<BenchCase>& cases, const Progress& progress);

/// Checks the output once, then times `repeats` runs. Throws OutOfDeviceMemory, KernelFailure.
Run bench(CudaExecutor& executor, const BenchCase& bench_case, int repeats = 11);

}  // namespace fathom
