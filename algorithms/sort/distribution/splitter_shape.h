// SPDX-License-Identifier: Apache-2.0
// The AGPU costs of the splitter sorts' kernels.
#pragma once

#include <fathom/model/machines/asymptotic_costs.h>

namespace fathom {

/// The kernels use as much of the shared memory M as a tile takes: splits go on until a bucket fits into it.
inline asymptotic::AgpuCost splitter_cost(const asymptotic::AgpuSize& size, const Problem& problem) {
  const double tile = problem.parameters.at("t") * problem.parameters.at("E") * words(problem);
  return asymptotic::sort_splitter({size.n, size.p, size.b, tile}, problem.parameters.at("S"));
}

}  // namespace fathom
