// SPDX-License-Identifier: Apache-2.0
// A case to count, time or predict: an algorithm, the problem that it solves, and the pattern of its
// input.
#pragma once

#include <fathom/algorithms/registry.h>
#include <fathom/core/measurement.h>
#include <fathom/model/work.h>

namespace fathom {

struct Case {
  const Algorithm* algorithm;
  Problem problem;  ///< one that Descriptor::check() accepts, with complete parameters
  Input input = Input::random;
};
std::string in_words(const Case& one);         ///< "sort-pairwise n = 2^10, E = 17, t = 256, u32"
std::string in_words(const Measurement& run);  ///< the same

/// The key of the work of the case's kernels on an architecture. All inputs of scans and reductions are
/// random: their work does not depend on it.
WorkKey work_key(const Case& one, int architecture);

}  // namespace fathom
