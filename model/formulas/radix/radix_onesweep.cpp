// SPDX-License-Identifier: Apache-2.0
// Single-pass radix sort, this project's: its accesses under the cost law of karsin2018.
#include <fathom/model/formulas/formulas.h>
#include <fathom/model/formulas/radix/radix_by_rows.h>

namespace fathom::formulas {

namespace {

// Sixteen counters of each digit, for as many lanes: two lanes share a bank.
constexpr double beta_histogram = 2;

/// N words of n elements with K words of keys of k bits, p = ⌈k/d⌉:
/// T_g = (1/P)·(K·max(1/B_g, L_g/(X·8)) + 2N·p·max(1/B_g, L_g/(X·E)))
/// T_s as in radix_by_rows.h for each pass, and n·p counters; X = M/(P·E·words).
///
/// A thread has eight keys in flight in the histogram, E elements in a pass. What tiles tell each other, r
/// words each, is left out: two per cent of a pass.
Phases counts(const Machine<double>& machine, const Problem& problem, const Reading&) {
  const double d = problem.parameters.at("d"), E = problem.parameters.at("E"), n = problem.n;
  const double size = words(problem), key = words(problem.type), p = ceil_div(32 * key, d);

  Phase histograms{.name = "histograms"};
  histograms.accesses = {{Level::global, n * key, 1, 8}, {Level::shared, n * p, beta_histogram, 8}};

  Phase passes{.name = "passes", .launches = p};
  passes.accesses = ranking(p * n, size, std::exp2(d), E);
  passes.accesses.push_back({Level::global, p * 2 * n * size, 1, E});

  Phases phases{histograms, passes};
  for (Phase& phase : phases) phase.multiplicity = machine.M() / (machine.P() * E * size);
  return phases;
}

}  // namespace

Formula radix_onesweep() {
  return {counts};
}

}  // namespace fathom::formulas
