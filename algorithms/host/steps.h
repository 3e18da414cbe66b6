// SPDX-License-Identifier: Apache-2.0
// The law prices a sort of data in host memory by these steps (Descriptor::steps): SortHost (sort_host.h)
// copies, and launches kernels beside the copies. Of several GPUs they are those of one that has most parts.
//
// The law leaves out the host's cuts, one for each part of the second round.
#pragma once

#include <fathom/algorithms/host/host_plan.h>
#include <fathom/model/descriptor.h>

#include <vector>

namespace fathom {

/// A block merges `tile` elements.
std::vector<RankStep> steps_in_one_round(const Problem& problem, const HostPlan& plan, Index tile);
std::vector<RankStep> steps_in_two_rounds(const Problem& problem, const HostPlan& plan);

}  // namespace fathom
