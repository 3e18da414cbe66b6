// SPDX-License-Identifier: Apache-2.0
// What the project's own radix sorts access in shared memory (algorithms/block/radix/rank.h).
#pragma once

#include <fathom/model/formulas/counts.h>
#include <fathom/model/formulas/phase.h>

#include <vector>

namespace fathom::formulas {

/// β of random keys: the expected maximum of 32 random words in one of 32 banks.
inline constexpr double beta_random = 3.5;

/// Accesses of ranking n elements of `size` words by a digit of r values and putting them in order in tiles
/// of tE. A key is added to its digit's word, read there, and taken from it; its digit's first rank is
/// looked up, and its words are written to random places and read from there. Half-warps, of 16E keys, clear
/// a row of r words, read it twice and write it.
///
/// These are the accesses of former kernels, which `fitted` has its factors for: today a key is added to its
/// digit's word alone, but where the order of equal keys shows also to another one, and whole warps have a
/// row, or two.
inline std::vector<Access> ranking(double n, double size, double r, double E) {
  return {{Level::shared, (4 + size) * n, beta_random}, {Level::shared, size * n + 4 * r * n / (16 * E)}};
}

}  // namespace fathom::formulas
