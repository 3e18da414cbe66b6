// SPDX-License-Identifier: Apache-2.0
// Counts used by more than one formula.
#pragma once

#include <fathom/model/machine.h>

#include <algorithm>
#include <cmath>

namespace fathom::formulas {

/// log₂ x, and 0 for x ≤ 1: the sources' counts of rounds hold only for at least one round.
inline double log2_from_1(double x) {
  return x > 1 ? std::log2(x) : 0.0;
}
inline double ceil_log2(double x) {
  return std::ceil(log2_from_1(x));
}

/// ⌈a/b⌉ for counts kept as double (n can exceed 2^31).
inline double ceil_div(double a, double b) {
  return std::ceil(a / b);
}

inline double most_threads_per_core(const Machine<double>& machine) {
  return double(machine.limits.threads_per_multiprocessor) / machine.cores_per_multiprocessor;
}
/// X if only the number of threads limits residency.
inline double resident_threads_per_core(const Machine<double>& machine, double threads) {
  return std::min(threads / machine.P(), most_threads_per_core(machine));
}

}  // namespace fathom::formulas
