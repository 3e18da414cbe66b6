// SPDX-License-Identifier: Apache-2.0
// How a sort of data in host memory goes through the memory of GPUs.
#pragma once

#include <fathom/algorithms/registry.h>
#include <fathom/core/plan.h>
#include <fathom/device/executor.h>

#include <algorithm>
#include <functional>

namespace fathom {

/// Consecutive parts.
struct PartRange {
  Index begin, end;

  bool contains(Index part) const { return begin <= part && part < end; }
};

/// n elements in parts, of which all but the last have `part` elements.
struct HostPlan {
  Index n;
  bool one_round;  ///< all sorted parts remain on the GPU until they are merged
  Index part;      ///< elements that are copied at a time
  int gpus = 1;    ///< the GPUs that share the parts

  Index parts() const { return ceil_div(n, part); }
  /// A part may also be the one after the last, which has no elements.
  Index begin_of(Index part_number) const { return std::min(part_number * part, n); }
  Index size_of(Index part_number) const { return begin_of(part_number + 1) - begin_of(part_number); }
  /// Returns the parts of a GPU, in each round. No GPU has more than one part more than another.
  PartRange share_of(int gpu) const { return {parts() * gpu / gpus, parts() * (gpu + 1) / gpus}; }
};

/// A plan is made for this.
struct HostPlanRequest {
  Index n;
  int gpus;
  int parts;        ///< each GPU has so many parts at least, but of few elements
  int most_merged;  ///< one round has so many parts at most
};

/// The memory that a plan needs of each GPU, in bytes.
using BytesOfPlan = std::function<std::size_t(const HostPlan&)>;

/// Returns a plan of one round if there is one GPU and its memory holds all parts; else one of two, with
/// smaller parts if those asked for do not fit. Throws OutOfDeviceMemory if not even
/// the smallest do.
HostPlan plan_host(const HostPlanRequest& request, std::size_t memory_bytes, const BytesOfPlan& bytes);

/// The algorithm that sorts parts, and the problem that it solves for a part of so many elements.
const Algorithm& sort_of_parts();
Problem problem_of_part(const Problem& of_all, Index elements);

/// The share that can be used of the memory of a GPU that does nothing else, or of what is free of it: the
/// driver takes some, too, when it loads kernels.
inline constexpr double usable_memory = 0.95;
/// Returns what the problem's parameter `memory` leaves of so many bytes, at most 2^62 of infinitely many.
std::size_t bytes_to_use(const Problem& problem, double memory_bytes);

}  // namespace fathom
