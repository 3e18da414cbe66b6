// SPDX-License-Identifier: Apache-2.0
// What a sort of data in host memory does, step by step, as the law prices it (Descriptor::steps): what
// SortHost (sort_host.h) does at a time is copies, and launches beside them.
//
// Not priced is what the host does: the cuts between the two rounds, and that a part of the second is
// gathered by as many copies as there are parts, which each begin after the one before.
#pragma once

#include <fathom/algorithms/host/host_plan.h>
#include <fathom/model/descriptor.h>

#include <vector>

namespace fathom {

/// A block merges `tile` elements.
std::vector<RankStep> steps_in_one_round(const Problem& problem, const HostPlan& plan, Index tile);
std::vector<RankStep> steps_in_two_rounds(const Problem& problem, const HostPlan& plan);

}  // namespace fathom
