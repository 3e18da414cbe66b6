// SPDX-License-Identifier: Apache-2.0
// The only list of algorithms of one GPU, read by the command line, the reports and the tests.
#pragma once

#include <fathom/algorithms/call.h>
#include <fathom/algorithms/workload.h>
#include <fathom/model/descriptor.h>

#include <deque>
#include <memory>
#include <string_view>

namespace fathom {

struct CudaKernel;  // cuda_kernel.h

struct Algorithm : Descriptor {
  MakeWorkload make_workload{};  ///< empty for algorithms with only a formula, or not in this build
  MakeCall make_call{};          ///< empty for baselines, and for other problems than sorts and sums
  /// The plain __global__ function that it launches: the CPU does not run it, and its work is what its
  /// machine code tells. nullptr if its kernels are written in the block contract.
  std::shared_ptr<const CudaKernel> cuda_kernel{};

  /// The CPU can run its kernels, and count what they do.
  bool is_countable() const { return plan && !cuda_kernel; }
};

const std::deque<Algorithm>& algorithms();
/// Registers an algorithm of the caller's. Throws std::invalid_argument if its slug is taken. References to
/// registered algorithms stay valid.
void add_algorithm(Algorithm algorithm);

/// Throws std::invalid_argument, naming the nearest slug, if there is no such algorithm.
const Algorithm& algorithm(std::string_view slug);
/// The same for callers that only predict; nullptr if there is no such algorithm.
const Descriptor* find_descriptor(std::string_view slug);

}  // namespace fathom
