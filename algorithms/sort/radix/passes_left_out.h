// SPDX-License-Identifier: Apache-2.0
// Which passes a radix sort leaves out, since keys share the bits that they sort by.
#pragma once

#include <fathom/algorithms/block/digits.h>

namespace fathom {

/// The passes that PlanPasses leaves out of those by each digit of a range, as far as it is known beforehand.
/// They are launched too, but their blocks end at once, and launches of them have a name of their own.
struct PassesLeftOut {
  BitRange range;
  int bits;         ///< of a digit
  u64 shared_bits;  ///< Problem::shared_bits

  bool contains(int p) const {
    if (!is_shared(p)) return false;
    const int last = range.digits(bits) - 1;
    for (int other = 0; other < last; ++other)
      if (!is_shared(other)) return true;
    return p < last;  // of equal keys the last pass makes the copy
  }

  int count() const {
    int count = 0;
    for (int p = 0; p < range.digits(bits); ++p) count += contains(p);
    return count;
  }

 private:
  bool is_shared(int p) const {
    const Digit at = range.digit(p, bits);
    return (~(shared_bits >> at.first) & ((u64(1) << at.count) - 1)) == 0;
  }
};

}  // namespace fathom
