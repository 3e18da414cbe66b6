// SPDX-License-Identifier: Apache-2.0
// Counts used by more than one formula.
#pragma once

#include <fathom/core/problem.h>
#include <fathom/model/formulas/phase.h>
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

/// Operations in registers, on words of 32 bits, that a comparison of keys takes. That of two numbers, of any
/// size, counts as one: it is what the sources have in mind. Other keys compute two numbers of 64 bits first.
/// (On sm_90 the compiler takes 10 instructions for points, 8 for rationals, and one for numbers of one
/// word.)
inline double operations_of_comparison(ElementType key) {
  const double of_sum = 4;      // |x|, |y|, and two words of |x| + |y|
  const double of_product = 4;  // its two words, the numerator's sign, and what a negative one takes off
  switch (key) {
    case ElementType::point:
      return 1 + 2 * of_sum;
    case ElementType::rational:
      return 1 + 2 * of_product;
    default:
      return 1;
  }
}

/// Operations of so many comparisons beyond those of numbers.
inline double costly_comparisons(const Problem& problem, double comparisons) {
  return comparisons * (operations_of_comparison(problem.type) - 1);
}
/// Adds them to a phase of which the source omits the registers: for numbers, nothing.
inline void add_costly_comparisons(Phase& phase, const Problem& problem, double comparisons) {
  const double operations = costly_comparisons(problem, comparisons);
  if (operations > 0) phase.accesses.push_back({Level::registers, operations});
}

}  // namespace fathom::formulas
