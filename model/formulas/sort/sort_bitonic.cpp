// SPDX-License-Identifier: Apache-2.0
// Bitonic sort: agpu2015, after batcher1968.
//
// The source gives its I/O, O((n/b)·log²(n/M)), and its time, O((n/p)·log² n). Here its steps are counted,
// and put under the cost law of karsin2018: log n merges, of which merge s has s steps, and each step reads
// and writes every element once.
#include <fathom/model/formulas/counts.h>
#include <fathom/model/formulas/formulas.h>

namespace fathom::formulas {

namespace {

/// T_g = (2N/P)·(½·r·(r + 1) + r + 1)·max(1/B_g, L_g/(X·I)),  r = ⌈log N/(tE)⌉
/// T_s = (2N/P)·(½·log(tE)·(log(tE) + 1) + r·log(tE))·max(1/B_s, L_s/(X·I))
/// X = M/(P·E), I = 2.
///
/// Steps between tiles of tE elements, which fill a block's shared memory, are done in global memory, one per
/// pass: 1 + … + r of them. The others of a merge are done in one more pass, in shared memory, as are all of
/// the first log(tE) merges. A comparator reads two words independently: I = 2. N counts words: an element of
/// 64 bits is two accesses and two words of M.
///
/// Our kernels make as many global accesses for S = 1. For larger S, S steps share a pass: Σ ⌈i/S⌉ passes
/// instead of Σ i. In shared memory they make about log E times fewer, because a thread does log E steps in
/// registers.
Phases published(const Machine<double>& machine, const Problem& problem, const Reading&) {
  const double size = words(problem.type), N = problem.n * size;
  const double E = problem.parameters.at("E"), tile = E * problem.parameters.at("t");
  const double log_tile = log2_from_1(tile), r = ceil_log2(problem.n / tile);
  const double I = 2;

  Phase tiles{.name = "tile-sort"};
  tiles.accesses = {{Level::global, 2 * N, 1, I},
                    {Level::shared, 2 * N * log_tile * (log_tile + 1) / 2, 1, I}};

  Phase between{.name = "steps-between-tiles", .launches = r * (r + 1) / 2};
  between.accesses = {{Level::global, 2 * N * r * (r + 1) / 2, 1, I}};

  Phase within{.name = "steps-within-tiles", .launches = r};
  within.accesses = {{Level::global, 2 * N * r, 1, I}, {Level::shared, 2 * N * r * log_tile, 1, I}};

  Phases phases{tiles, between, within};
  for (Phase& phase : phases) phase.multiplicity = machine.M() / (machine.P() * E * size);
  return phases;
}

}  // namespace

Formula sort_bitonic() {
  return {.phases = published, .input = InputDependence::none};
}

}  // namespace fathom::formulas
