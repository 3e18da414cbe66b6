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

/// The run's parameters. Data in host memory were sorted on one GPU before there could be several: runs of
/// then say nothing of it.
inline Parameters parameters_of(const Descriptor& algorithm, const Measurement& run) {
  Parameters parameters = run.problem.parameters;
  if (algorithm.in_host_memory && !parameters.contains("gpus")) parameters.set("gpus", 1);
  return parameters;
}

/// The run's problem with the algorithm's parameters, in the algorithm's order; others are dropped.
inline Problem problem_of(const Descriptor& algorithm, const Measurement& run) {
  const Parameters parameters = parameters_of(algorithm, run);
  Problem problem = run.problem;
  problem.parameters = {};
  for (const ParameterInfo& info : algorithm.parameters)
    if (parameters.contains(info.name)) problem.parameters.set(info.name, parameters.at(info.name));
  return problem;
}

/// Whether it ran with the parameters that a problem of its n and type has by default.
inline bool has_defaults(const Descriptor& algorithm, const Measurement& run) {
  return by_name(parameters_of(algorithm, run)) == by_name(algorithm.default_parameters(run.problem));
}

}  // namespace fathom
