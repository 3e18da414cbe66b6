// SPDX-License-Identifier: Apache-2.0
// The digits and tiles of a radix sort, for its costs on the memory machines.
#pragma once

#include <fathom/model/machines/asymptotic_costs.h>

#include <cmath>

namespace fathom {

/// The shape of a sort with the parameters d, bits of a digit, t, threads per block, and E, elements per
/// thread.
inline asymptotic::RadixShape radix_shape(const Problem& problem) {
  const double E = problem.parameters.at("E");
  return {.k = 32 * words(problem.type),
          .r = std::exp2(problem.parameters.at("d")),
          .m = problem.parameters.at("t") * E,
          .E = E};
}

/// The kernels use as much of the shared memory M as a tile takes: splits go on until a bucket fits into it.
inline asymptotic::AgpuCost radix_msd_cost(const asymptotic::AgpuSize& size,
                                           const asymptotic::RadixShape& shape) {
  return asymptotic::radix_msd({size.n, size.p, size.b, shape.m * shape.k / 32}, shape);
}

}  // namespace fathom
