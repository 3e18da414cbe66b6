// SPDX-License-Identifier: Apache-2.0
// Slices of a rank's elements, each of which is exchanged while the next one is sorted.
#pragma once

#include <fathom/core/portable.h>

#include <algorithm>
#include <vector>

namespace fathom {

/// Slices of n elements begin there, and end with n. A slice is three times as long as the next one, as
/// sorting takes two and a half to three times as long as exchanging half of the elements (two H200s): so
/// each exchange ends when the next slice has been sorted, and only that of the last, short slice is waited
/// for. Of `most` elements, of which n are a share, no slice but the last is longer than `longest`. They
/// begin at multiples of 32 elements, as the arrays of a sort have to be aligned.
inline std::vector<Index> slices_of(Index n, Index most, int slices, Index longest) {
  constexpr Index ratio = 3, alignment = 32;
  std::vector<Index> begins{0};
  Index before = 0;  // of `most` elements
  for (int left = slices; left > 1; --left) {
    Index weight = 1, weights = 1;  // of this slice, and of it and those after it
    for (int after = 1; after < left; ++after) weights += weight *= ratio;
    before += std::min(Index(double(most - before) * double(weight) / double(weights)), longest);
    const Index begin = Index(double(n) * (double(before) / double(most)));
    begins.push_back(std::min(n, (begin + alignment - 1) / alignment * alignment));
  }
  begins.push_back(n);
  return begins;
}

}  // namespace fathom
