// SPDX-License-Identifier: Apache-2.0
// Fast reduction in one pass and one launch. Not from the papers: blocks take tiles round-robin, with 16
// bytes per access, and the block that ends last combines the results of all.
#include <fathom/model/formulas/formulas.h>
#include <fathom/model/formulas/reduce/reductions.h>

namespace fathom::formulas {

namespace {

constexpr double words_of_a_vector = 4;

/// Not from a source: the counts of the cascading reduction, with I vectors of 16 bytes in flight, and with
/// blocks of t threads instead of warps, which use 2b words each.
Phases published(const Machine<double>& machine, double n, double words, int t, int I) {
  const int b = machine.warp_width;
  Phase one = agpu_phase("one-pass", machine, 2.0 * b * words * b / t);
  const double p = agpu_cores(machine, n), blocks = ceil_div(p, t);
  one.accesses = {{Level::global, (n + blocks * b + blocks + b) * words, 1, I * words_of_a_vector},
                  {Level::shared, (p + blocks * b) * words},
                  {Level::registers, n * words}};
  return {one};
}

}  // namespace

Formula reduce_vector() {
  return {[](const Machine<double>& machine, const Problem& problem, const Reading&) {
    return published(machine, problem.n, words(problem.type), problem.parameters.at("t"),
                     problem.parameters.at("I"));
  }};
}

}  // namespace fathom::formulas
