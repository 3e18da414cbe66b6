// SPDX-License-Identifier: Apache-2.0
// Sequential-parallel scan: nakano2012.
//
// Scans groups of k numbers one after another with interval sums, each starting from the total of the
// previous groups; work space is less than k for any n. Small k costs launches, O(n/k·log k) of them; if the
// L2 holds the arrays of a group, it is read from memory only once.
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
