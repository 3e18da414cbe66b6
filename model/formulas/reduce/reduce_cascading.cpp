// SPDX-License-Identifier: Apache-2.0
// Cascading reduction: agpu2015 (reduce, cascading).
//
// The input is a matrix with a column per thread. Each thread reduces its column, then a tree reduces the
// threads' results.
#include <fathom/model/formulas/formulas.h>
#include <fathom/model/formulas/reduce/reductions.h>

namespace fathom::formulas {

namespace {

/// n/p steps in registers, then a tree per warp: its b values go to shared memory, and each of log b levels
/// is two loads and a store by all b cores. b words per warp.
Phases published(const Machine<double>& machine, double n, double words) {
  const int b = machine.warp_width;
  Phase cascade = agpu_phase("cascade", machine, b * words);
  const double p = agpu_cores(machine, n);
  cascade.accesses = {{Level::global, agpu_global_accesses(n, p, b) * words},
                      {Level::shared, (p + p / b) * (1 + 3 * std::log2(b)) * words},
                      {Level::registers, n * words}};
  return {cascade};
}

}  // namespace

Formula reduce_cascading() {
  return {[](const Machine<double>& machine, const Problem& problem, const Reading&) {
    return published(machine, problem.n, words(problem.type));
  }};
}

}  // namespace fathom::formulas
