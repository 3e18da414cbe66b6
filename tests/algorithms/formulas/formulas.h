// SPDX-License-Identifier: Apache-2.0
// The registry's formulas.
#pragma once

#include <fathom/algorithms/registry.h>
#include <fathom/model/laws/predict.h>

#include "../../support/machines.h"

#include <string_view>
#include <vector>

namespace fathom::tests {

inline const Law published{LawName::published};

/// Every algorithm that has a formula: all of ours.
inline std::vector<const Algorithm*> with_formula() {
  std::vector<const Algorithm*> found;
  for (const Algorithm& each : algorithms())
    if (each.formula) found.push_back(&each);
  return found;
}

/// The types to evaluate a formula for: those of the kernels, or one of one word and one of two if there are
/// no kernels.
inline std::vector<ElementType> types_of(const Descriptor& algorithm) {
  return algorithm.types.empty() ? std::vector{ElementType::u32, ElementType::u64} : algorithm.types;
}

/// Default parameters, except those given.
inline Problem problem_of(const Descriptor& algorithm, double n, const Parameters& given = {},
                          ElementType type = ElementType::u32) {
  Problem problem = algorithm.problem(n, type);
  for (const auto& [name, value] : given) problem.parameters.set(name, value);
  return problem;
}

inline Prediction predicted(const Descriptor& algorithm, const Machine<double>& machine,
                            const Problem& problem, const Law& law = published) {
  return predict(algorithm, machine, problem, law);
}

/// Words of one level, over all phases or those of one name.
inline double words_of(const Phases& phases, Level level, std::string_view name = {}) {
  double sum = 0;
  for (const Phase& phase : phases)
    for (const Access& access : phase.accesses)
      if (access.level == level && (name.empty() || phase.name == name)) sum += access.count;
  return sum;
}

}  // namespace fathom::tests
