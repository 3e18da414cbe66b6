// SPDX-License-Identifier: Apache-2.0
// merrill2010 counts instructions and passes of its own radix sort and of the older scheme: these are they.
#pragma once

#include <fathom/model/descriptor.h>

#include <cmath>

namespace fathom::formulas {

/// Thread-instructions of the last kernel per element, on GT200: memory 6.3, encoding 5.5, scan 10.7,
/// decoding 13.9, exchange 14.7, and (r/4)·(2.6 + 1.4) = r. The first five add up to 51.1; printed is 51.4 +
/// r for a pair, which is kept. Memory and exchange handle keys and values alike, so half of theirs is left
/// without values.
inline double scatter_instructions(double r, bool has_values) {
  return 51.4 + r - (has_values ? 0 : (6.3 + 14.7) / 2);
}

/// Thread-cycles of the whole sort per pair of 32 bits with d = 4, hence in 8 passes.
inline constexpr double cycles_per_pair = 723, passes_of_these = 8, r_of_these = 16;

/// c3, thread-instructions of the reduction per key. Not printed, but what the scatter leaves of the 723.
inline double reduction_instructions() {
  return cycles_per_pair / passes_of_these - scatter_instructions(r_of_these, true);
}

/// The share of δ_compute that kernels reach. Up to d = 4 a multiprocessor holds 640 threads, and the source
/// says "94+ %"; 723 cycles at the 482·10^6 pairs/s that it measured are 98 %: taken to be all. Beyond it
/// holds 256 or fewer: 68 % at d = 5, taken for more digits, too.
inline double utilisation(double r) {
  return r > r_of_these ? 0.68 : 1;
}

inline ParameterInfo whole_passes() {
  return {"whole-passes", "1: ⌈k/d⌉ passes; 0: k/d, as printed, though a pass cannot be cut", {0, 1}, 1};
}

/// Passes for keys of so many words, by digits of d bits.
inline double merrill_passes(double words_of_key, double d, const Reading& reading) {
  const double passes = 32 * words_of_key / d;
  return reading.options.at("whole-passes") ? std::ceil(passes) : passes;
}

}  // namespace fathom::formulas
