// SPDX-License-Identifier: Apache-2.0
// Naive scan: nakano2012.
//
// a[i] = a[i − 2^s] + a[i] for s = 0, 1, …, ⌈log n⌉ − 1: every step is one kernel over all elements, from one
// array to the other.
#include <fathom/model/formulas/counts.h>
#include <fathom/model/formulas/formulas.h>

namespace fathom::formulas {

namespace {

double steps(double n) {
  return std::max(1.0, ceil_log2(n));
}

/// Reads of a[i − 2^s] over all steps: the first 2^s elements need none.
double distant_reads(double n) {
  return std::max(0.0, n * steps(n) - (std::exp2(steps(n)) - 1));
}

/// From one array to the other, since in place a step would overwrite its own input. Every step reads and
/// writes every element, and reads a second one for every addition. One thread per element.
Phases published(const Machine<double>& machine, double n, double words) {
  Phase step;
  step.name = "step";
  step.launches = steps(n);
  step.multiplicity = resident_threads_per_core(machine, n);
  step.accesses = {{Level::global, (2 * n * steps(n) + distant_reads(n)) * words}};
  return {step};
}

}  // namespace

Formula scan_naive() {
  return {[](const Machine<double>& machine, const Problem& problem, const Reading&) {
    return published(machine, problem.n, words(problem.type));
  }};
}

}  // namespace fathom::formulas
