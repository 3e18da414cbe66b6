// SPDX-License-Identifier: Apache-2.0
// Matrix reduction: agpu2015 (reduce, matrix).
//
// Tiles of b × b elements are transposed through padded shared memory; every lane reduces a row, and the
// lanes' results are combined in order.
#include <fathom/model/formulas/formulas.h>
#include <fathom/model/formulas/reduce/reductions.h>

namespace fathom::formulas {

namespace {

/// Every element is stored to its tile, loaded from it and combined once; a tile's b results take log b
/// levels of two loads and a store by all b cores. b(b + 1) words per warp.
Phases published(const Machine<double>& machine, double n, double words) {
  const int b = machine.warp_width;
  Phase matrix = agpu_phase("matrix", machine, b * (b + 1.0) * words);
  const double p = agpu_cores(machine, n);
  matrix.accesses = {{Level::global, agpu_global_accesses(n, p, b) * words},
                     {Level::shared, n * (2 + 3 * std::log2(b) / b) * words},
                     {Level::registers, n * words}};
  return {matrix};
}

}  // namespace

Formula reduce_matrix() {
  return {[](const Machine<double>& machine, const Problem& problem, const Reading&) {
    return published(machine, problem.n, words(problem.type));
  }};
}

}  // namespace fathom::formulas
