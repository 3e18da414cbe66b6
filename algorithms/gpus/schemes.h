// SPDX-License-Identifier: Apache-2.0
// The order of the steps of a sort of several GPUs.
#pragma once

#include <fathom/core/problem.h>

#include <algorithm>
#include <bit>

namespace fathom {

enum class SortScheme {
  sort_first = 1,   ///< each rank sorts its elements, cuts them, and exchanges and merges piece by piece
  split_first = 2,  ///< each rank puts its elements in buckets, and exchanges and sorts these piece by piece
};

/// The problem's scheme; if it names none, the second among two ranks, where it is faster for random and
/// sorted keys of all n that it can sort (two H200s, data/h200-gpus). Among more it has not been measured.
inline SortScheme scheme_of(const Problem& problem, int ranks) {
  const int chosen = problem.parameters.at("scheme");
  return chosen != 0 ? SortScheme(chosen) : ranks == 2 ? SortScheme::split_first : SortScheme::sort_first;
}

/// Pieces of a rank's buckets with scheme 2, each of which is sorted while the next one is exchanged, unless
/// chosen a power of two. `most` elements has the rank that has most. In smaller pieces than these, exchanges
/// take longer than they should (two H200s).
inline int pieces_of_buckets(const Problem& problem, double most) {
  constexpr double least_bytes = 0x1p25, enough = 8;
  const int chosen = problem.parameters.at("pieces");
  if (chosen > 0) return chosen;
  return int(
      std::bit_floor(unsigned(std::clamp(most * problem.bytes_per_element() / least_bytes, 1.0, enough))));
}

}  // namespace fathom
