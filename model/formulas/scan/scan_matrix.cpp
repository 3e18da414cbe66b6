// SPDX-License-Identifier: Apache-2.0
// Matrix scan with α rows: agpu2015 (scan, matrix).
//
// The input is cut into one contiguous chunk per warp. Chunks are reduced, their sums are scanned, and every
// warp scans its chunk tile by tile. A tile has α rows of b elements, in columns padded to b + 1. α trades
// time (α → b: no conflicts) against multiplicity (small tiles).
#include <fathom/model/formulas/counts.h>
#include <fathom/model/formulas/formulas.h>

namespace fathom::formulas {

namespace {

/// β' = min(⌈b/α⌉, α): column-major rows of α elements put b/α lanes of a warp on one bank, but at most α.
/// Exact except for α = 7 and 11, where some rows start within a column and so meet one more column: the
/// counted means are 5.43 and 3.82, not 5 and 3.
double row_conflict_degree(int b, int alpha) {
  return std::min(std::ceil(double(b) / alpha), double(alpha));
}

/// Per element 3 global accesses (one read in the reduction, one read and one write in the scan), and 2β' + 3
/// + 2·log b/α shared ones; X follows from α(b + 1) words per warp. The source gives only counts; the cost
/// law of §1 with I = 1 is applied to them. N counts words: an element of 64 bits is two accesses and two
/// words of the tile.
///
/// Our kernels make 3 to 9 % more global accesses, more with fewer tiles per warp: a warp's sum is written by
/// one lane and read by all, and counts as a whole warp's. They make 0.64 to 0.74 times the shared accesses:
/// sums of columns are scanned with shuffles, not in shared memory (2·log b/α), and a column is read once,
/// not twice.
Phases published(const Machine<double>& machine, double n, double words, int alpha) {
  const int b = machine.warp_width;
  const double N = n * words;
  const double warps = machine.M() / (alpha * (b + 1) * words);  // of the whole machine

  Phase reduce;
  reduce.name = "reduce-chunks";
  reduce.accesses = {{Level::global, N}};

  Phase scan;
  scan.name = "scan-chunks";
  scan.accesses = {{Level::global, 2 * N},
                   {Level::shared, 2 * N, row_conflict_degree(b, alpha)},
                   {Level::shared, N * (3 + 2 * std::log2(b) / alpha)}};

  Phases phases{reduce, scan};
  for (Phase& phase : phases) phase.multiplicity = warps * b / machine.P();
  return phases;
}

}  // namespace

Formula scan_matrix() {
  return {[](const Machine<double>& machine, const Problem& problem, const Reading&) {
    return published(machine, problem.n, words(problem.type), problem.parameters.at("alpha"));
  }};
}

}  // namespace fathom::formulas
