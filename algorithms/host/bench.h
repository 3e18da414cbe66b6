// SPDX-License-Identifier: Apache-2.0
// Runs and checks algorithms for data in host memory.
#pragma once

#include <fathom/algorithms/host/registry.h>
#include <fathom/core/measurement.h>
#include <fathom/core/progress.h>

#include <functional>

namespace fathom {

/// A case to time.
struct HostCase {
  const HostAlgorithm* algorithm;
  /// One that Descriptor::check() accepts, with complete parameters.
  Problem problem;
  Input input = Input::random;
};

/// Checks the output once, then times `repeats` runs, calling `progress` before each. Input and output are in
/// pinned memory. There are as many GPUs as the problem's parameter `gpus` says, and `memory_bytes` of each.
///
/// A run begins with the input in host memory and ends with the output there: the time is the host's.
/// `clock` gives the first GPU's in Hz. Throws OutOfDeviceMemory, OutOfHostMemory, KernelFailure,
/// std::invalid_argument for an input that cannot be made in host memory, and what `progress` throws.
Measurement bench(const std::vector<HostStreams>& gpus, std::size_t memory_bytes, const HostCase& one,
                  int repeats, const std::function<double()>& clock, const Progress& progress = {});

}  // namespace fathom
