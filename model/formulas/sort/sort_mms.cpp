// SPDX-License-Identifier: Apache-2.0
// GPU-MMS: karsin2018 §5.
//
// Multiway mergesort with a min-block-heap of w elements per node, merging in registers by a shuffle network,
// the independent merges along a root-to-leaf path interleaved, and a base case of w² elements. Free of bank
// conflicts.
#include <fathom/model/formulas/counts.h>
#include <fathom/model/formulas/formulas.h>

namespace fathom::formulas {

namespace {

/// T_g = (2N/P)·(⌈log_K N/w²⌉ + 1)·max(1/B_g, ⌈L_g/(X·I)⌉)
/// T_s = (4N/P)·(⌈log N/w²⌉ + log w)·max(1/B_s, ⌈L_s/(X·I)⌉)
/// T_r = (6N/P)·(⌈log N/w²⌉·log w + log³ w)·max(1/B_r, ⌈L_r/(X·I)⌉)
/// X = M/(2KP − P), I = log K.
///
/// Of each three operations in registers, minimum and maximum compare: with c operations per comparison (1
/// for numbers) and n keys T_r has 6·(N + ⅔·(c − 1)·n) for 6N. The paper sorts points and rationals, but does
/// not say what their comparisons cost.
///
/// Erratum: the paper prints B_g and L_g in all three lines. 6 is shuffle, min and max for each of 2N. The
/// terms of the base case are + 1, log w and log³ w. With the 6, registers take about 60 % of the time, while
/// the paper reports 35 %; with 2 for it they take 35 %. So the factor is an option.
///
/// Our kernels with the published shape (E = 0, node = 32, K = 8, n = 2^20, the grid of an H200) make 1.5
/// times the global accesses: the searches of the partition, which the paper omits, counted as whole warps,
/// and rows that a list only partly fills. They make 1.7 times the shared accesses:
/// keys also pass through a leaf and the root, and each heap is filled first; the base case, in registers,
/// needs two per key instead of 4·log w. Lanes that merge alone need no shuffles: of the registers' terms
/// only minimum and maximum remain.
///
/// sort-mms-shuffles, which merges as the paper does, makes 1.04 times the global accesses (K = 8, n = 2^20,
/// four multiprocessors) and 0.85 times the shared ones: 1.22 times those of the merges, since four passes of
/// three levels are 12 where the formula has ⌈log N/w²⌉ = 10, and a tenth of those of the base case.
/// Shuffles, minima and maxima are 0.48 times the 6N: 1.39 times in the merges, for the same reason and
/// because both halves go through log w steps after the first, 0.11 times in the base case, whose w² keys
/// merge mostly within lanes.
///
/// N counts words: an element of 64 bits is two accesses and two words of M.
Phases published(const Machine<double>& machine, const Problem& problem, const Reading& reading) {
  const int K = problem.parameters.at("K");
  const int w = machine.warp_width;
  const double size = words(problem);
  const double N = problem.n * size;
  const double log_w = std::log2(w);
  const double log_runs = log2_from_1(problem.n / (double(w) * w));
  const double merges = std::ceil(log_runs);                 // ⌈log N/w²⌉
  const double passes = std::ceil(log_runs / std::log2(K));  // ⌈log_K N/w²⌉
  const double base_merges = log_w * log_w * log_w;
  const double compared = 2. / 3 * costly_comparisons(problem, problem.n);  // ⅔·(c − 1)·n
  const double operations = reading.options.at("register-factor") * (N + compared);
  const double I = std::log2(K);

  Phase base;
  base.name = "base-case";
  base.accesses = {{Level::global, 2 * N, 1, I, true},
                   {Level::shared, 4 * N * log_w, 1, I, true},
                   {Level::registers, operations * base_merges, 1, I, true}};

  Phase merge;
  merge.name = "multiway-merge";
  merge.launches = passes;
  merge.accesses = {{Level::global, 2 * N * passes, 1, I, true},
                    {Level::shared, 4 * N * merges, 1, I, true},
                    {Level::registers, operations * merges * log_w, 1, I, true}};

  Phases both{base, merge};
  for (Phase& phase : both) phase.multiplicity = machine.M() / (machine.P() * (2 * K - 1) * size);
  return both;
}

}  // namespace

Formula sort_mms() {
  return {.phases = published,
          .options = {{"register-factor", "register operations for each element that is merged, printed as 6",
                       consecutive(1, 6), 6}},
          .input = InputDependence::none};
}

}  // namespace fathom::formulas
