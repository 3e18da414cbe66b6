// SPDX-License-Identifier: Apache-2.0
// Sorted runs of any lengths, anywhere in an array.
#pragma once

#include <fathom/algorithms/block/digits.h>

namespace fathom {

/// Run k is elements [begins[k], ends[k]). Of those that there are not, both are 0.
struct ListedRuns {
  static constexpr int most = 16;

  Index begins[most], ends[most];

  FATHOM_DEVICE
  Index begin_of(int run) const { return begins[run]; }
  FATHOM_DEVICE
  Index count_of(int run) const { return ends[run] - begins[run]; }
  FATHOM_DEVICE
  Index elements() const {
    Index sum = 0;
    for (int run = 0; run < most; ++run) sum += count_of(run);
    return sum;
  }
};

/// The order of floating-point keys in which radix sorts put them: -0 before +0, and NaN at the ends.
struct LessByBits {
  template <class Key>
  FATHOM_DEVICE
  bool operator()(const Key& a, const Key& b) const { return ordered_bits(a) < ordered_bits(b); }
};

}  // namespace fathom
