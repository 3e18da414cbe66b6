// SPDX-License-Identifier: Apache-2.0
// Pipeline reduction: agpu2015 (reduce, pipeline).
//
// Rows of b elements pass through a tree of log b levels in 2b shared words, one level per step. All b cores
// work in every step, and the order of the elements is preserved.
#include <fathom/model/formulas/formulas.h>
#include <fathom/model/formulas/reduce/reductions.h>

namespace fathom::formulas {

namespace {

/// Shared accesses of a core per step: two read the operands of its node, one writes the node, and one writes
/// a leaf of the entering row.
constexpr double accesses_of_a_step = 4;

/// Steps until the last row has left the tree: its levels, and one that adds up the rows.
double steps_to_drain(int b) {
  return std::log2(b) + 1;
}

/// One step per row of b elements, and the steps that drain each warp's pipeline; 2b words per warp. One
/// combination, a register access, per core and step.
Phases published(const Machine<double>& machine, double n, double words) {
  const int b = machine.warp_width;
  Phase pipeline = agpu_phase("pipeline", machine, 2 * b * words);
  const double p = agpu_cores(machine, n);
  const double steps = n + (p + p / b) * steps_to_drain(b);  // of one core each
  pipeline.accesses = {{Level::global, agpu_global_accesses(n, p, b) * words},
                       {Level::shared, accesses_of_a_step * steps * words},
                       {Level::registers, steps * words}};
  return {pipeline};
}

}  // namespace

Formula reduce_pipeline() {
  return {[](const Machine<double>& machine, const Problem& problem, const Reading&) {
    return published(machine, problem.n, words(problem.type));
  }};
}

}  // namespace fathom::formulas
