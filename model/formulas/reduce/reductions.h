// SPDX-License-Identifier: Apache-2.0
// Common parts of the formulas of reductions.
#pragma once

#include <fathom/model/descriptor.h>
#include <fathom/model/formulas/counts.h>

namespace fathom::formulas {

/// The law of §1 needs a multiplicity; agpu2015 gives the shared words m used by b cores, a warp. So the
/// machine holds M/m warps. An element of 64 bits is two words.
inline Phase agpu_phase(std::string_view name, const Machine<double>& machine, double words_per_warp) {
  const int b = machine.warp_width;
  const double warps = machine.M() / words_per_warp;
  Phase phase;
  phase.name = name;
  phase.multiplicity = warps * b / machine.P();
  return phase;
}

/// Global accesses, in elements, of a reduction by p cores. An I/O moves b elements: n/b of them read the
/// input, each of the p/b warps writes its result with one of its own, and one more warp reads these results,
/// b at a time, and writes the final one.
inline double agpu_global_accesses(double n, double p, int b) {
  return n + p + p / b + b;
}

/// p: the machine's cores, at most one per element.
inline double agpu_cores(const Machine<double>& machine, double n) {
  return std::min(n, machine.P());
}

}  // namespace fathom::formulas
