// SPDX-License-Identifier: Apache-2.0
// Sorted runs of any lengths, one behind the other.
#pragma once

#include <fathom/algorithms/block/digits.h>

namespace fathom {

/// Run k is elements [begins[k], begins[k + 1]).
struct ListedRuns {
  static constexpr int most = 16;

  Index begins[most + 1];  ///< of the empty ones, the end

  FATHOM_DEVICE
  Index begin_of(int run) const { return begins[run]; }
  FATHOM_DEVICE
  Index count_of(int run) const { return begins[run + 1] - begins[run]; }
  FATHOM_DEVICE
  Index elements() const { return begins[most]; }
};

/// The order of floating-point keys in which radix sorts put them: -0 before +0, and NaN at the ends.
struct LessByBits {
  template <class Key>
  FATHOM_DEVICE
  bool operator()(const Key& a, const Key& b) const { return ordered_bits(a) < ordered_bits(b); }
};

}  // namespace fathom
