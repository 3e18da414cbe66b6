// SPDX-License-Identifier: Apache-2.0
// Plans the passes by all digits of a radix sort from the most significant digit.
#pragma once

#include <fathom/algorithms/sort/radix/msd/skewed_keys.h>
#include <fathom/algorithms/sort/radix/onesweep/plan_passes.h>

namespace fathom {

/// PlanPasses for the elements that are sorted by all digits; `is_wanted` is SkewedKeys::which.
///
/// Passes over some elements leave the states of further tiles as they are (DigitStates). After an even
/// number of passes all states are of one parity again.
template <class Threads = Number, class Bits = Number>
struct PlanSkewedPasses : PlanPasses<Threads, Bits> {
  static constexpr const char* header = "fathom/algorithms/sort/radix/msd/plan_skewed_passes.h";

  SkewedKeys skewed;

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const u32 which = this->is_wanted.load(0);
    if (which == SkewedKeys::none) return;
    const bool some = which == SkewedKeys::some;
    this->plan(block, some ? skewed.elements() : this->n, some);
  }
};

}  // namespace fathom
