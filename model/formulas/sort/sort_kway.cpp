// SPDX-License-Identifier: Apache-2.0
// K-way mergesort, this project's: the terms of karsin2018 §4.1 (sort_pairwise.cpp) with fewer passes over
// global memory.
#include <fathom/model/formulas/counts.h>
#include <fathom/model/formulas/formulas.h>

namespace fathom::formulas {

namespace {

// As for the pairwise mergesort, whose merges these are.
constexpr double beta_merge = 3.1, beta_partition = 2.2;

/// N elements in tiles of tE, passes = ⌈⌈log N/(tE)⌉/log K⌉:
/// T_g = (2N/P)·(1 + passes·(1 + (3K/(2tE))·⌈log N⌉))·max(1/B_g, L_g/(X·I_g))
/// T_s = (2N/P)·((β1·⌈log N/E⌉ + passes)·max(1/B_s, L_s/X) +
///       β2·⌈log tE⌉·⌈log N/(tE)⌉/(2E)·max(1/B_s, L_s/(X·β2)))
/// X = M/(P·E), I_g = 2.
///
/// A pass reads and writes every element once in global memory, and once more in shared memory than the
/// merges do. Comparisons of points and rationals are counted as there. Its partition reads three samples of
/// K runs for each halving of the step. N counts words: an element of 64 bits is two accesses and two words
/// of M.
Phases counts(const Machine<double>& machine, const Problem& problem, const Reading&) {
  const double K = problem.parameters.at("K"), E = problem.parameters.at("E"), t = problem.parameters.at("t");
  const double n = problem.n, N = n * words(problem), tile = t * E;
  const double levels = ceil_log2(n / tile), passes = std::ceil(levels / std::log2(K));
  const double I_g = 2;

  Phase block_sort;
  block_sort.name = "block-sort";
  block_sort.accesses = {{Level::global, 2 * N, 1, I_g}};

  Phase partition;
  partition.name = "partition";
  partition.accesses = {{Level::global, passes * 3 * K * N / tile * ceil_log2(n), 1, I_g},
                        {Level::shared, 2 * N * ceil_log2(tile) * levels / (2 * E), beta_partition}};

  // The levels of merges within and between tiles are not separated: see sort_pairwise.cpp.
  Phase merge;
  merge.name = "merge";
  merge.accesses = {{Level::global, 2 * N * passes, 1, I_g},
                    {Level::shared, 2 * N * passes},
                    {Level::shared, 2 * N * ceil_log2(n / E), beta_merge}};
  add_costly_comparisons(merge, problem, n * ceil_log2(n / E));

  Phases phases{block_sort, partition, merge};
  for (Phase& phase : phases) {
    phase.launches = &phase == &phases[0] ? 1 : passes;
    phase.multiplicity = machine.M() / (machine.P() * E * words(problem));
  }
  return phases;
}

}  // namespace

Formula sort_kway() {
  return {counts};
}

}  // namespace fathom::formulas
