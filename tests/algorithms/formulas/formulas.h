// The registry's formulas with their default plans and constants.
#pragma once

#include <fathom/algorithms/registry.h>
#include <fathom/model/predict.h>

#include "../../model/machines.h"

#include <string_view>
#include <vector>

namespace fathom::tests {

inline const Law published{LawName::published};
inline const Law calibrated{};

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

inline Phases<double> phases_of(const Descriptor& algorithm, const Machine<double>& machine,
                                const Problem& problem, LawName law,
                                const ConstantValues<double>& constants) {
  const Plan plan = law == LawName::calibrated ? plan_on(machine, algorithm, problem) : Plan{};
  return algorithm.formula->phases(machine, problem, plan, constants, law);
}
inline Phases<double> phases_of(const Descriptor& algorithm, const Machine<double>& machine,
                                const Problem& problem, LawName law) {
  return phases_of(algorithm, machine, problem, law, algorithm.formula->default_constants());
}
/// The phases of the kernels on a GPU of today's proportions.
inline Phases<double> calibrated_phases(const Descriptor& algorithm, const Problem& problem) {
  return phases_of(algorithm, complete_machine(), problem, LawName::calibrated);
}

inline Prediction predicted(const Descriptor& algorithm, const Machine<double>& machine,
                            const Problem& problem, const Law& law) {
  return predict(algorithm, machine, problem, law, algorithm.formula->default_constants());
}

/// Words of one level, over all phases or those of one name.
inline double words_of(const Phases<double>& phases, Level level, std::string_view name = {}) {
  double sum = 0;
  for (const Phase<double>& phase : phases)
    for (const Access<double>& access : phase.accesses)
      if (access.level == level && (name.empty() || phase.name == name)) sum += access.count;
  return sum;
}

}  // namespace fathom::tests
