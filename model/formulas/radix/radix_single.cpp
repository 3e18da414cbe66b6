// SPDX-License-Identifier: Apache-2.0
// Radix sort in one block, this project's after merrill2010: its accesses under the cost law
// of karsin2018.
#include <fathom/model/formulas/formulas.h>
#include <fathom/model/formulas/radix/radix_by_rows.h>

namespace fathom::formulas {

namespace {

/// N words of n elements, p = ⌈k/d⌉ digits: 2N words of global memory, and p rankings in shared memory, whose
/// results are read back in between. More than a tile of tE goes through global memory for each digit, and
/// its keys K once more: p·(2N + K). One block computes on one of the multiprocessors.
Phases counts(const Machine<double>& machine, const Problem& problem, const Reading&) {
  const double d = problem.parameters.at("d"), E = problem.parameters.at("E"), t = problem.parameters.at("t");
  const double n = problem.n, size = words(problem), key = words(problem.type), p = ceil_div(32 * key, d);
  const bool fits = n <= t * E;

  Phase sort{.name = "sort",
             .multiplicity = t / machine.cores_per_multiprocessor,
             .share = 1. / machine.multiprocessors};
  sort.accesses = ranking(p * n, size, std::exp2(d), E);
  sort.accesses.push_back({Level::shared, (p - 1) * n * size});
  sort.accesses.push_back({Level::global, n * (fits ? 2 * size : p * (2 * size + key)), 1, E});
  return {sort};
}

}  // namespace

Formula radix_single() {
  return {counts};
}

}  // namespace fathom::formulas
