// SPDX-License-Identifier: Apache-2.0
// Tree reduction: agpu2015 (reduce, tree).
//
// Level by level, every block of t threads loads 2t elements into shared memory and reduces them to one.
#include <fathom/model/formulas/formulas.h>
#include <fathom/model/formulas/reduce/reductions.h>

namespace fathom::formulas {

namespace {

double levels(int t) {
  return std::log2(2.0 * t);
}

/// Σ 3⌈n/(2b)^i⌉ I/Os: two reads and a write. In shared memory two accesses store the halves, and each of log
/// 2b levels is two loads and a store by all b cores, idle or not, since they run in lock-step. The paper's b
/// cores of a multiprocessor are the t threads of a block, which share 2t words; an I/O is b words.
///
/// Our kernel makes a third of these shared accesses: warps without a node make none.
Phases published(const Machine<double>& machine, double n, double words, int t) {
  const int b = machine.warp_width;
  Phase tree = agpu_phase("tree", machine, 2.0 * b * words);
  double global = 0, shared = 0;
  for (double left = n; left > 0;) {
    const double blocks = ceil_div(left, 2.0 * t);
    global += blocks * (2 * t + b);
    shared += blocks * t * (2 + 3 * levels(t));
    left = blocks > 1 ? blocks : 0;
  }
  tree.accesses = {{Level::global, global * words}, {Level::shared, shared * words}};
  return {tree};
}

}  // namespace

Formula reduce_tree() {
  return {[](const Machine<double>& machine, const Problem& problem, const Reading&) {
    return published(machine, problem.n, words(problem.type), problem.parameters.at("t"));
  }};
}

}  // namespace fathom::formulas
