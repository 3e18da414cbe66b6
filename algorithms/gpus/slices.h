// SPDX-License-Identifier: Apache-2.0
// Slices of a rank's elements that are sorted one after another.
#pragma once

#include <fathom/core/portable.h>

#include <algorithm>
#include <vector>

namespace fathom {

/// Where equal slices of n elements begin, and n. They begin at multiples of 32 elements, as the arrays of a
/// sort have to be aligned.
inline std::vector<Index> slices_of(Index n, int slices) {
  constexpr Index alignment = 32;
  std::vector<Index> begins;
  for (int slice = 0; slice < slices; ++slice) {
    const Index begin = n / slices * slice + n % slices * slice / slices;
    begins.push_back(std::min(n, (begin + alignment - 1) / alignment * alignment));
  }
  begins.push_back(n);
  return begins;
}

}  // namespace fathom
