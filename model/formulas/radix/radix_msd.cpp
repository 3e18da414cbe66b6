// SPDX-License-Identifier: Apache-2.0
// Radix sort from the most significant digit: agpu-radix.
//
// The source gives its I/O, O((n/b)·log_r(n/M)). Here the accesses of our kernels are counted, and put under
// the cost law of karsin2018.
#include <fathom/model/formulas/formulas.h>
#include <fathom/model/formulas/radix/radix_by_rows.h>

namespace fathom::formulas {

namespace {

/// N words of n elements with K words of keys, which spread evenly over their range:
/// T_g = (1/P)·(K·max(1/B_g, L_g/(X·8)) + 2N·2·max(1/B_g, L_g/(X·S)) + 2N·max(1/B_g, L_g/(X·E)))
/// T_s as in radix_by_rows.h for two passes and for the two digits of 8 bits of the buckets' sorts.
///
/// The prefixes of all keys are counted, two passes put elements into buckets, which blocks sort. The shared
/// accesses are those of former kernels: with keys alone the first pass takes an atomic in place of two and a
/// load, and buckets are sorted by counting, with about half of the accesses.
Phases counts(const Machine<double>& machine, const Problem& problem, const Reading&) {
  const double E = problem.parameters.at("E"), S = problem.parameters.at("S"), n = problem.n;
  const double size = words(problem), key = words(problem.type), r = 256;

  Phase prefixes{.name = "prefixes"};
  prefixes.accesses = {{Level::global, n * key, 1, 8}, {Level::shared, n, beta_random, 8}};

  Phase passes{.name = "passes", .launches = 2};
  passes.accesses = ranking(2 * n, size, r, S);
  passes.accesses.push_back({Level::global, 2 * 2 * n * size, 1, S});

  Phase buckets{.name = "buckets"};
  buckets.accesses = ranking(2 * n, size, r, E);
  buckets.accesses.push_back({Level::shared, n * (size + 3 * key)});  // read back, and ties looked for
  buckets.accesses.push_back({Level::global, 2 * n * size, 1, E});

  prefixes.multiplicity = resident_threads_per_core(machine, n);
  passes.multiplicity = machine.M() / (machine.P() * S * size);
  buckets.multiplicity = machine.M() / (machine.P() * E * size);
  return {prefixes, passes, buckets};
}

}  // namespace

Formula radix_msd() {
  return {counts};
}

}  // namespace fathom::formulas
