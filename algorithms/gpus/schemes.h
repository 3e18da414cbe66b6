// SPDX-License-Identifier: Apache-2.0
// The order of the steps of a sort of several GPUs.
#pragma once

#include <fathom/core/problem.h>
#include <fathom/device/contract/contract.h>

namespace fathom {

enum class SortScheme {
  by_n = 0,         ///< the one that is faster for so many elements on so many GPUs
  sort_first = 1,   ///< each rank sorts its elements, cuts them, and exchanges and merges piece by piece
  split_first = 2,  ///< each rank puts its elements in buckets, and exchanges and sorts these piece by piece
};

/// The scheme for `n` elements of all ranks, which need not be able to take it (SortGpusByPrefix::fits).
inline SortScheme scheme_of(const Problem& problem, Index n, int ranks) {
  // Measured on two H200s (data/h200-gpus); of more GPUs scheme 2 has not been measured.
  constexpr Index least_to_split = Index(1) << 22;
  const SortScheme chosen = SortScheme(problem.parameters.at("scheme"));
  if (chosen != SortScheme::by_n) return chosen;
  return ranks == 2 && n >= least_to_split ? SortScheme::split_first : SortScheme::sort_first;
}

/// Pieces of a rank's buckets with scheme 2, each of which is sorted while the next one is exchanged. `most`
/// elements has the rank that has most.
inline int pieces_of_buckets(const Problem& problem, Index most) {
  constexpr Index least_piece = Index(1) << 24, enough = 8;
  const int chosen = problem.parameters.at("pieces");
  return chosen > 0 ? chosen : int(min(max(most / least_piece, Index(1)), enough));
}

}  // namespace fathom
