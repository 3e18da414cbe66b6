// SPDX-License-Identifier: Apache-2.0
// What the ranks of algorithms for several GPUs do, step by step, as the law prices it (Descriptor::steps).
#pragma once

#include <fathom/model/descriptor.h>

#include <vector>

namespace fathom {

std::vector<RankStep> steps_of_reduction(const Problem& problem, const PlanDevice& device);
std::vector<RankStep> steps_of_scan(const Problem& problem, const PlanDevice& device);
std::vector<RankStep> steps_of_sort(const Problem& problem, const PlanDevice& device);

}  // namespace fathom
