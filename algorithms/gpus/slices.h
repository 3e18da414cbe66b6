// SPDX-License-Identifier: Apache-2.0
// Slices of a rank's elements that are sorted one after another.
#pragma once

#include <fathom/device/contract/contract.h>

#ifndef __CUDACC_RTC__
#include <vector>
#endif

namespace fathom {

/// Where one of equal slices of n elements begins. They begin at multiples of 32 elements, as the arrays of a
/// sort have to be aligned.
FATHOM_DEVICE
Index slice_begin(Index n, int slices, Index slice) {
  constexpr Index alignment = 32;
  const Index begin = n / slices * slice + n % slices * slice / slices;
  return min(n, (begin + alignment - 1) / alignment * alignment);
}

#ifndef __CUDACC_RTC__
/// Where all of them begin, and n.
inline std::vector<Index> slices_of(Index n, int slices) {
  std::vector<Index> begins;
  for (int slice = 0; slice < slices; ++slice) begins.push_back(slice_begin(n, slices, slice));
  begins.push_back(n);
  return begins;
}
#endif

}  // namespace fathom
