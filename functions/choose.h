// SPDX-License-Identifier: Apache-2.0
// Which kernels a function runs.
#pragma once

#include <fathom/algorithms/registry.h>
#include <fathom/store/profile.h>

namespace fathom {

/// An algorithm with all of its parameters.
struct Choice {
  const Algorithm* algorithm;
  Parameters parameters;

  bool operator==(const Choice&) const = default;
};

/// What the law `counted` expects to be fastest on the profile's GPU for random input: of this library's
/// algorithms for the problem, with all parameters whose work is known there (known_work(), counting/work.h);
/// but the defaults of that algorithm, unless others are expected to be clearly faster. If no work is known
/// for the GPU's architecture, that on sm_90 gives the order. Floating-point keys are sorted by their bits,
/// an order that has a place for NaN. `in_place`: the output is the input. The parameters of `problem` are
/// ignored. Throws std::invalid_argument if no algorithm can solve the problem, and MissingConstant for a
/// profile without the law's constants.
Choice choose(const Problem& problem, bool in_place, const DeviceProfile& profile);

}  // namespace fathom
