// SPDX-License-Identifier: Apache-2.0
// The only list of algorithms for several GPUs.
//
// It is a list of its own, beside that of one GPU (algorithms/registry.h): those have a plan, which is one
// device's, and a workload on one executor, which everything that reads that list uses.
#pragma once

#include <fathom/algorithms/gpus/group_call.h>
#include <fathom/model/descriptor.h>

#include <deque>
#include <string_view>

namespace fathom {

/// The most GPUs that a prediction may be asked for.
inline constexpr int most_gpus = 256;

/// Has steps, unless it is a baseline, and the parameter `gpus` for them; a group has its own number of GPUs,
/// whatever the parameter.
struct GroupAlgorithm : Descriptor {
  MakeGroupCall make_call{};  ///< empty for a baseline that is not in this build
};

const std::deque<GroupAlgorithm>& group_algorithms();
/// Throws std::invalid_argument, naming the nearest slug, if there is no such algorithm.
const GroupAlgorithm& group_algorithm(std::string_view slug);
/// nullptr if there is no such algorithm.
const GroupAlgorithm* find_group_algorithm(std::string_view slug);

}  // namespace fathom
