// SPDX-License-Identifier: Apache-2.0
// GPU-Warpsort: ye2010, on the AGPU in agpu2015.
//
// The source gives its I/O, O((n/b)·log(n/b)), and its time, O((n/p)·log(n/b)·log b). Here the steps of its
// pseudo-code are counted, and put under the cost law of karsin2018. A warp works on blocks of wE elements;
// the source has E = 1.
#include <fathom/model/formulas/counts.h>
#include <fathom/model/formulas/formulas.h>

namespace fathom::formulas {

namespace {

/// T_g = (2N/P)·(⌈log N/(wE)⌉ + 1)·max(1/B_g, L_g/(X·E))
/// T_s = (2N/P)·(½·l·(l + 1) + 2·(l + 1)·⌈log N/(wE)⌉)·max(1/B_s, L_s/(2X)),  l = log(wE)
/// X = M/(2P·E).
///
/// Every warp sorts a block by a bitonic network of ½·l·(l + 1) steps, each of which reads and writes every
/// element. Then pairs of runs are merged, round by round: for each block that a warp writes it reads a block
/// and merges 2wE elements, by l + 1 steps. These are in shared memory, 2wE words per warp. A lane reads E
/// elements, a comparator two words independently. N counts words: an element of 64 bits is two accesses and
/// two words of M.
///
/// For E > 1 our kernels save log t/w rounds, because the warps of a block merge their runs in shared memory.
/// They add the searches for the pieces, one per wEK elements. In shared memory they make a fraction of the
/// accesses, because a lane does log E steps in registers; for E = 1 the steps are shuffles.
Phases published(const Machine<double>& machine, const Problem& problem, const Reading&) {
  const double size = words(problem.type), N = problem.n * size;
  const double E = problem.parameters.at("E"), block = machine.warp_width * E;
  const double log_block = log2_from_1(block), rounds = ceil_log2(problem.n / block);
  const double of_a_comparator = 2;

  Phase sort{.name = "warp-sort"};
  sort.accesses = {{Level::global, 2 * N, 1, E},
                   {Level::shared, 2 * N * log_block * (log_block + 1) / 2, 1, of_a_comparator}};

  Phase merge{.name = "warp-merge", .launches = rounds};
  merge.accesses = {{Level::global, 2 * N * rounds, 1, E},
                    {Level::shared, 4 * N * (log_block + 1) * rounds, 1, of_a_comparator}};

  Phases both{sort, merge};
  for (Phase& phase : both) phase.multiplicity = machine.M() / (2 * machine.P() * E * size);
  return both;
}

}  // namespace

Formula sort_warp() {
  return {.phases = published, .input = InputDependence::none};
}

}  // namespace fathom::formulas
