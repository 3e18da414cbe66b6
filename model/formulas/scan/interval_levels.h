// SPDX-License-Identifier: Apache-2.0
// The levels of the scan by interval sums (nakano2012), shared by two algorithms.
#pragma once

#include <fathom/model/descriptor.h>
#include <fathom/model/formulas/counts.h>

namespace fathom::formulas {

/// Down: a_{t+1}[i] = a_t[2i] + a_t[2i + 1], two reads and one write per sum. Up: in every pair one element
/// is copied (a read and a write) and one is added (two reads and a write). One thread per pair, down to a
/// single pair: n − 1 pairs in all.
inline void add_levels(Phases& phases, const Machine<double>& machine, double n, double words,
                       double groups) {
  const auto add = [&](std::string_view name, double pairs, double accesses_of_a_pair) {
    Phase phase;
    phase.name = name;
    phase.launches = groups;
    phase.multiplicity = resident_threads_per_core(machine, pairs);
    phase.accesses = {{Level::global, groups * pairs * accesses_of_a_pair * words}};
    phases.push_back(phase);
  };
  const double most = std::max(1.0, n / 2);
  for (double pairs = most; pairs >= 1; pairs /= 2) add("upsweep", pairs, 3);
  for (double pairs = most; pairs >= 1; pairs /= 2) add("downsweep", pairs, 5);
}

}  // namespace fathom::formulas
