// SPDX-License-Identifier: Apache-2.0
// Koike and Sadakane's multiway mergesort: agpu2015 §7.3, costed by karsin2018 §4.2.
//
// Base blocks of w sorted elements; K lists at a time are merged by one warp through a binary heap in shared
// memory whose inner nodes buffer 2w sorted elements each.
#include <fathom/model/formulas/counts.h>
#include <fathom/model/formulas/formulas.h>

namespace fathom::formulas {

namespace {

/// T_g = (2N/P)·(log_K(N/w) + 1)·max(1/B_g, ⌈L_g/X⌉)
/// T_s = (4N/P)·(log w·log(N/w) + ½·log² w)·max(1/B_s, ⌈L_s/X⌉)
/// X = M/(4KP − 2P), I = 1: all 2K − 1 nodes of a warp's heap buffer 2w words. agpu2015 itself counts 2w(K −
/// 1) words, those of the inner nodes alone: leaf-buffers = 0.
///
/// Our kernels with the published shape (E = 0, node = 32, K = 8, n = 2^20, the grid of an H200) make 1.6
/// times the global accesses: the searches of the partition, counted as whole warps, and rows that a list
/// only partly fills. They make 0.6 times the shared accesses, since the paper's bitonic merges, log w per
/// key, are in shared memory and ours in registers.
///
/// Four shared accesses are a comparator's, two reads and two writes. Registers are omitted, except for what
/// a comparison of points and rationals takes beyond that of numbers.
///
/// sort-multiway-separators, with the paper's heaps and separators, makes 1.10 times the global accesses (K =
/// 8, n = 2^20, four multiprocessors), for the same two reasons, and 0.27 times the shared ones: it, too,
/// merges by shuffles. The formula has no registers. Its warps merge whole groups until there are fewer than
/// heaps; a heap has 3Kw − 3w words, since leaves have no rest and the root's row is in registers.
///
/// The + 1 and the ½·log² w are the base case. N counts words: an element of 64 bits is two accesses and two
/// words of M.
Phases published(const Machine<double>& machine, const Problem& problem, const Reading& reading) {
  const int K = problem.parameters.at("K");
  const int w = machine.warp_width;
  const double size = words(problem);
  const double N = problem.n * size;
  const double log_w = std::log2(w);
  const double log_runs = log2_from_1(problem.n / w);
  const double passes = log_runs / std::log2(K);

  Phase base;
  base.name = "base-case";
  base.accesses = {{Level::global, 2 * N, 1, 1, true},
                   {Level::shared, 4 * N * log_w * log_w / 2, 1, 1, true}};
  add_costly_comparisons(base, problem, problem.n * log_w * log_w / 2);

  Phase merge;
  merge.name = "multiway-merge";
  merge.launches = std::ceil(passes);
  merge.accesses = {{Level::global, 2 * N * passes, 1, 1, true},
                    {Level::shared, 4 * N * log_w * log_runs, 1, 1, true}};
  add_costly_comparisons(merge, problem, problem.n * log_w * log_runs);

  const int nodes = reading.options.at("leaf-buffers") ? 2 * K - 1 : K - 1;
  Phases both{base, merge};
  for (Phase& phase : both) phase.multiplicity = machine.M() / (machine.P() * 2 * nodes * size);
  return both;
}

}  // namespace

Formula sort_multiway() {
  return {.phases = published,
          .options = {{"leaf-buffers",
                       "1: the heap's leaves have buffers, as karsin2018 counts; 0: only its inner nodes, as "
                       "agpu2015 does",
                       {0, 1},
                       1}},
          .input = InputDependence::none};
}

}  // namespace fathom::formulas
