// SPDX-License-Identifier: Apache-2.0
// How a sort of data in host memory goes through the GPU's memory.
#pragma once

#include <fathom/algorithms/registry.h>
#include <fathom/core/plan.h>
#include <fathom/device/executor.h>

#include <functional>

namespace fathom {

struct HostPlan {
  bool one_round;  ///< all sorted parts remain on the GPU until they are merged
  Index part;      ///< elements that are copied at a time, but for the last

  /// Of n elements.
  Index parts(Index n) const { return ceil_div(n, part); }
};

/// The GPU's memory that a plan needs, in bytes.
using BytesOfPlan = std::function<std::size_t(const HostPlan&)>;

/// For n elements in at least so many parts, but for few elements. One round, if its parts, of which there
/// are at most `most_merged`, fit into the memory; else two, with smaller parts if that many do not fit,
/// either. Throws OutOfDeviceMemory if not even the smallest do.
HostPlan plan_host(Index n, int parts, int most_merged, std::size_t memory_bytes, const BytesOfPlan& bytes);

/// The algorithm that sorts parts, and the problem that it solves for a part of so many elements.
const Algorithm& sort_of_parts();
Problem problem_of_part(const Problem& of_all, Index elements);

/// The share that can be used of the memory of a GPU that does nothing else, or of what is free of it: the
/// driver takes some, too, when it loads kernels.
inline constexpr double usable_memory = 0.95;
/// Returns what the problem's parameter `memory` leaves of so many bytes, at most 2^62 of infinitely many.
std::size_t bytes_to_use(const Problem& problem, double memory_bytes);

}  // namespace fathom
