// SPDX-License-Identifier: Apache-2.0
// Parameters of measured runs, which files may list in any order.
#pragma once

#include <fathom/core/measurement.h>
#include <fathom/model/descriptor.h>

#include <map>
#include <string>

namespace fathom {

/// Sorted by name, so that equal parameters are equal in any order.
inline std::map<std::string, int> by_name(const Parameters& parameters) {
  return {parameters.begin(), parameters.end()};
}

/// The run's problem with the algorithm's parameters, in the algorithm's order; others are dropped.
inline Problem problem_of(const Descriptor& algorithm, const Measurement& run) {
  Problem problem = run.problem;
  problem.parameters = {};
  for (const ParameterInfo& info : algorithm.parameters)
    if (run.problem.parameters.contains(info.name))
      problem.parameters.set(info.name, run.problem.parameters.at(info.name));
  return problem;
}

/// Whether it ran with the parameters that a problem of its n and type has by default.
inline bool has_defaults(const Descriptor& algorithm, const Measurement& run) {
  return by_name(run.problem.parameters) == by_name(algorithm.default_parameters(run.problem));
}

}  // namespace fathom
