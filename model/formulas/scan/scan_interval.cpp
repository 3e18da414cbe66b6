// SPDX-License-Identifier: Apache-2.0
// Optimal scan by interval sums: nakano2012.
//
// Computes the sums of pairs level by level, then from the prefix sums of each level those of the level
// above: two kernels per level, and less work space than input. The published algorithm goes down to a single
// sum; our kernels stop where one block can scan the rest.
#include <fathom/model/formulas/formulas.h>
#include <fathom/model/formulas/scan/interval_levels.h>

namespace fathom::formulas {

Formula scan_interval() {
  return {[](const Machine<double>& machine, const Problem& problem, const Reading&) {
    Phases phases;
    add_levels(phases, machine, problem.n, words(problem.type), 1);
    return phases;
  }};
}

}  // namespace fathom::formulas
