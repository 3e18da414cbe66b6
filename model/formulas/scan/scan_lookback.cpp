// SPDX-License-Identifier: Apache-2.0
// Single-pass scan with decoupled look-back: Merrill and Garland, NVR-2016-002.
//
// A block holds one tile of t·E elements in shared memory. It publishes the tile's sum, looks back over what
// the preceding tiles have published until it finds a prefix sum, publishes its own, and writes the tile:
// every element is read once and written once.
#include <fathom/model/formulas/counts.h>
#include <fathom/model/formulas/formulas.h>

namespace fathom::formulas {

namespace {

constexpr double window = 32;  // tiles that a warp inspects in one step

/// 2n accesses, E of them independent per thread. Per tile two states are stored and a window of them is
/// loaded, each a value and its status. The source gives no time; the cost law of §1 is applied to the
/// counts.
Phases published(const Machine<double>& machine, double n, double words, int E, int t) {
  const double tiles = ceil_div(n, double(t) * E);
  Phase scan;
  scan.name = "scan-tiles";
  scan.multiplicity = std::min(tiles * t / machine.P(), double(machine.limits.threads_per_multiprocessor) /
                                                            machine.cores_per_multiprocessor);
  scan.accesses = {{Level::global, 2 * tiles * t * E * words, 1, E * words},
                   {Level::global, tiles * (2 + window) * 2 * words}};
  return {scan};
}

}  // namespace

Formula scan_lookback() {
  return {[](const Machine<double>& machine, const Problem& problem, const Reading&) {
    return published(machine, problem.n, words(problem.type), problem.parameters.at("E"),
                     problem.parameters.at("t"));
  }};
}

}  // namespace fathom::formulas
