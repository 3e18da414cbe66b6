// SPDX-License-Identifier: Apache-2.0
// Sequential-parallel scan: nakano2012.
//
// Scans groups of k numbers one after another with interval sums, each starting from the total of the
// previous groups; work space is less than k for any n. Small k costs launches, O(n/k·log k) of them; if the
// L2 holds the arrays of a group, it is read from memory only once.
//
// The launches cost (nl/k)·log k, which is within the bandwidth's n/w from k = w·l·log k on
// (asymptotic::least_work_space). A GPU has w·l = B·P·L words in flight: 13,500 on the m4000, hence k ≥
// 241,000 words, and 193,000 on the H200, hence k ≥ 4,240,000. By this formula, for n = 2^28 of u32, groups
// of the next powers of four, 2^18 and 2^24, take 1.65 and 1.14 times as long as those of 2^26; groups of the
// powers before take 3.6 and 1.7 times as long.
#include <fathom/model/formulas/formulas.h>
#include <fathom/model/formulas/scan/interval_levels.h>

namespace fathom::formulas {

namespace {

/// Calls `add(size, groups)` for each group size; the last group may be smaller.
template <class Add>
void for_each_group_size(double n, double k, Add add) {
  const double whole = std::floor(n / k), rest = n - whole * k;
  if (whole > 0) add(k, whole);
  if (rest > 0) add(rest, 1.0);
}

}  // namespace

Formula scan_sequential() {
  return {[](const Machine<double>& machine, const Problem& problem, const Reading&) {
    Phases phases;
    for_each_group_size(problem.n, problem.parameters.at("k"), [&](double elements, double groups) {
      add_levels(phases, machine, elements, words(problem.type), groups);
    });
    return phases;
  }};
}

}  // namespace fathom::formulas
