// SPDX-License-Identifier: Apache-2.0
// The cases of tests that cover every algorithm.
#pragma once

#include <fathom/algorithms/registry.h>

#include <vector>

namespace fathom::tests {

/// Every algorithm with kernels of its own.
inline std::vector<const Algorithm*> with_plan() {
  std::vector<const Algorithm*> found;
  for (const Algorithm& each : algorithms())
    if (each.plan) found.push_back(&each);
  return found;
}

/// The defaults, and each parameter at its minimum and maximum with the others at their defaults.
inline std::vector<Parameters> default_and_extremes(const Descriptor& algorithm) {
  std::vector<Parameters> sets{algorithm.default_parameters()};
  for (const ParameterInfo& info : algorithm.parameters)
    for (int extreme : {info.values.front(), info.values.back()}) {
      sets.push_back(sets.front());
      sets.back().set(info.name, extreme);
    }
  return sets;
}

}  // namespace fathom::tests
