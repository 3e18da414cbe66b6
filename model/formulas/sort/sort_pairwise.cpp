// SPDX-License-Identifier: Apache-2.0
// Pairwise mergesort: karsin2018 §4.1.
//
// N elements, E per thread, t threads per block, tE elements per tile. Every thread sorts E elements in
// registers and a block merges them into a sorted tile. Then pairs of runs are merged, round by round, and
// merge path cuts each round into tiles.
#include <fathom/model/formulas/counts.h>
#include <fathom/model/formulas/formulas.h>

namespace fathom::formulas {

namespace {

// The paper's mean bank conflict degrees of shared reads, while merging and while searching a merge path.
constexpr double beta_merge = 3.1, beta_partition = 2.2;

/// T_g = (2N/P)·(⌈log N/(tE)⌉ + ⌈log(NtE)⌉·⌈log N/(2tE)⌉/(4tE) + 1)·max(1/B_g, L_g/(X·I_g))
/// T_s = (2N/P)·(β1·⌈log N/E⌉·max(1/B_s, L_s/(X·β1)) + β2·⌈log tE⌉·⌈log N/(tE)⌉/(2E)·max(1/B_s, L_s/(X·β2)))
/// X = M/(P·E), I_g = 2.
///
/// Registers are omitted, except for what comparisons of points and rationals take beyond those of numbers:
/// each merge compares once per element, ⌈log N/E⌉ times in all.
///
/// β1 and β2 are those of random input; of another, both are the counted mean over all reads.
///
/// Erratum: the paper prints a second factor N in the middle term of T_g; the sum of log(2^i·tE) over the
/// rounds, which it represents, gives the line above. N counts words: an element of 64 bits is two accesses
/// and two words of M.
///
/// Our kernels make 10 % more global accesses: every thread reads where its tile begins and ends in the runs,
/// one address for a whole warp, which the paper omits. They make 1.7 to 1.9 times the shared accesses: the
/// paper's merge reads and writes an element once, while ours also goes through shared memory after loading
/// from and before storing to global memory, and counts the reads and stores in register order separately.
Phases published(const Machine<double>& machine, const Problem& problem, const Reading& reading) {
  const double n = problem.n, size = words(problem);
  const double E = problem.parameters.at("E"), t = problem.parameters.at("t");
  const double N = n * size;  // accesses of one pass; numbers of rounds come from n
  const double tile = t * E;
  const double rounds = ceil_log2(n / tile);
  const double X = machine.M() / (machine.P() * E * size);
  const double I_g = 2;

  Phase block_sort;
  block_sort.name = "block-sort";
  block_sort.accesses = {{Level::global, 2 * N, 1, I_g}};

  Phase partition;
  partition.name = "partition";
  partition.accesses = {
      {Level::global, 2 * N * ceil_log2(n * tile) * ceil_log2(n / (2 * tile)) / (4 * tile), 1, I_g},
      {Level::shared, 2 * N * ceil_log2(tile) * rounds / (2 * E), reading.conflict.value_or(beta_partition)}};

  // The paper counts the merge rounds within and between tiles in one term, ⌈log N/E⌉. They are not separated
  // here, because two ceilings would not add up to the one.
  Phase merge;
  merge.name = "merge";
  merge.accesses = {{Level::global, 2 * N * rounds, 1, I_g},
                    {Level::shared, 2 * N * ceil_log2(n / E), reading.conflict.value_or(beta_merge)}};
  add_costly_comparisons(merge, problem, n * ceil_log2(n / E));

  Phases phases{block_sort, partition, merge};
  for (Phase& phase : phases) {
    phase.launches = &phase == &phases[0] ? 1 : rounds;
    phase.multiplicity = X;
  }
  return phases;
}

}  // namespace

Formula sort_pairwise() {
  return {.phases = published, .input = InputDependence::conflicts};
}

}  // namespace fathom::formulas
