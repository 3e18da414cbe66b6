// SPDX-License-Identifier: Apache-2.0
// Recursive radix sort from the most significant digit: agpu-radix.
//
// The source gives its I/O, O((n/b)·log_r(n/M)). Here the accesses of our kernels are counted, and put under
// the cost law of karsin2018, as for sort-splitter.
#include <fathom/model/formulas/formulas.h>
#include <fathom/model/formulas/radix/radix_by_rows.h>

namespace fathom::formulas {

namespace {

/// K words of n keys of k bits that spread evenly over their range, r = 2^d, levels = ⌈log_r(n/(tE))⌉, but at
/// most ⌈k/d⌉:
/// T_g = (1/P)·(levels·(3K + 2n) + 2K)·max(1/B_g, L_g/(X·I_g))
/// T_s = (1/P)·(levels·(n + K + 2n)·β + levels·(K + 2n))·max(1/B_s, L_s/X), and as in radix_by_rows.h for
/// the ⌈k/d⌉ − levels digits of the buckets' sorts. X = M/(P·E), I_g = 2.
///
/// A level reads the keys and writes the number of each one's bucket, then reads both and writes the keys. A
/// key is counted; it is ranked, written to the tile and read from it with its bucket's number, and finds
/// where its bucket goes. Left out are the counts of tiles, and what blocks of levels without buckets read to
/// find that there are none: of 2^16 keys a third of all words, and more of u64, which have more levels.
Phases counts(const Machine<double>& machine, const Problem& problem, const Reading&) {
  const double E = problem.parameters.at("E"), t = problem.parameters.at("t"), d = problem.parameters.at("d");
  const double n = problem.n, size = words(problem.type), K = n * size, I_g = 2;
  const double digits = ceil_div(32 * size, d);
  const double levels = std::min(ceil_div(log2_from_1(n / (t * E)), d), digits);

  Phase classify{.name = "classify", .launches = levels};
  classify.accesses = {{Level::global, levels * (K + n), 1, I_g}, {Level::shared, levels * n, beta_random}};

  Phase scatter{.name = "scatter", .launches = levels};
  scatter.accesses = {{Level::global, levels * (2 * K + n), 1, I_g},
                      {Level::shared, levels * (K + 2 * n), beta_random},
                      {Level::shared, levels * (K + 2 * n)}};

  Phase finish{.name = "buckets"};
  finish.accesses = ranking((digits - levels) * n, size, std::exp2(d), E);
  finish.accesses.push_back({Level::global, 2 * K, 1, I_g});

  Phases phases{classify, scatter, finish};
  for (Phase& phase : phases) phase.multiplicity = machine.M() / (machine.P() * E * size);
  return phases;
}

}  // namespace

Formula radix_msd_recursive() {
  return {counts};
}

}  // namespace fathom::formulas
