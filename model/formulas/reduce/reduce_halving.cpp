// SPDX-License-Identifier: Apache-2.0
// Sum by halving: nakano2012.
//
// a[i] = a[i] + a[i + ⌈m/2⌉] for i < ⌊m/2⌋, with m = n, ⌈n/2⌉, … until one element is left: every step is one
// kernel with a thread per pair.
#include <fathom/model/formulas/counts.h>
#include <fathom/model/formulas/formulas.h>

namespace fathom::formulas {

namespace {

/// Two reads and one write per pair: ⌊m/2⌋ pairs in a step, n − 1 in all. Most steps have too few threads for
/// the machine, which is the source's l·log n.
///
/// Our kernels make as many accesses, and two more for an odd n: the first step, which is not in place, also
/// copies the element in the middle.
Phases published(const Machine<double>& machine, double n, double words) {
  Phases steps;
  for (double m = std::max(2.0, n); m > 1; m = std::ceil(m / 2)) {
    const double pairs = std::floor(m / 2);
    Phase& step = steps.emplace_back();
    step.name = "step";
    step.multiplicity = resident_threads_per_core(machine, pairs);
    step.accesses = {{Level::global, 3 * pairs * words}};
  }
  return steps;
}

}  // namespace

Formula reduce_halving() {
  return {[](const Machine<double>& machine, const Problem& problem, const Reading&) {
    return published(machine, problem.n, words(problem.type));
  }};
}

}  // namespace fathom::formulas
