// SPDX-License-Identifier: Apache-2.0
// Runs and checks real kernels on the GPU.
#pragma once

#include <fathom/algorithms/case.h>
#include <fathom/core/measurement.h>
#include <fathom/device/cuda/cuda_executor.h>

#include <functional>
#include <string_view>
#include <vector>

namespace fathom {

/// Bytes of device memory that a problem needs, work space included, found by recording its workload's
/// allocations. Throws std::invalid_argument for an algorithm without kernels, and whatever
/// Descriptor::check() throws.
std::size_t device_bytes(const Algorithm& algorithm, const Problem& problem, const PlanDevice& device);

/// The cases that a device with so much free memory can run: whose blocks fit, and that their parameters
/// allow for their n. Calls `note` with one line about the others, if there are any: how many they are, and
/// why the first cannot run. If no case can run, rethrows why the first cannot: std::invalid_argument,
/// KernelFailure or OutOfDeviceMemory.
std::vector<Case> runnable(const std::vector<Case>& cases, const PlanDevice& device, std::size_t free_bytes,
                           const std::function<void(std::string_view)>& note);

/// Compiles the kernels of all cases into the cache, on all CPU cores.
void warm_cache(CudaExecutor& executor, const std::vector<Case>& cases, const Progress& progress);

/// Checks the output once, if it can be checked, then times `repeats` runs, calling `progress` before each.
/// Throws OutOfDeviceMemory, KernelFailure, and what `progress` throws.
Measurement bench(CudaExecutor& executor, const Case& bench_case, int repeats = 11,
                  const Progress& progress = {});

}  // namespace fathom
