// SPDX-License-Identifier: Apache-2.0
// The passes of multiway mergesorts, for their plans.
#pragma once

#include <fathom/algorithms/sort/merge/multiway_pieces.h>

#include <algorithm>
#include <bit>
#include <vector>

namespace fathom {

/// As few passes as K allows, and of these as few with K runs as possible: `wide` passes merge K runs,
/// `narrow` ones half as many. No others, even for few runs, so that there are two kernels to count.
struct PassWidths {
  int wide, narrow;

  static PassWidths of(Index n, Index run, int ways) {
    int levels = 0;
    while (run << levels < n) ++levels;
    const int levels_of_wide = std::bit_width(unsigned(ways)) - 1;
    const int count = (levels + levels_of_wide - 1) / levels_of_wide;
    const int wide = std::max(0, levels - count * (levels_of_wide - 1));
    return {wide, count - wide};
  }
  int count() const { return wide + narrow; }
};

/// A pass over sorted runs of `run` keys, for so many heaps with nodes of `node` keys. All heaps take a
/// piece, then the next one, so that what is left for the last of these rounds is lost: a pass has one round
/// or a few, whichever takes the least time.
inline MultiwayPieces multiway_pass(Index n, Index run, int ways, Index heaps, int node) {
  constexpr Index most_keys = Index(1) << 30;  // positions within a piece are 32-bit numbers
  constexpr int most_rounds = 4;
  const Index least_keys = 16 * node;
  // To build a heap takes as long as to merge so many keys; to find where its piece ends, on an H200, as long
  // as three times as many.
  const Index keys_to_build = Index(ways) * node, keys_to_begin = 4 * keys_to_build;

  const Index group = std::min(run * ways, n);
  MultiwayPieces best{};
  Index least = 0;
  for (int rounds = 1; rounds <= most_rounds; ++rounds) {
    // In floating point: plans of any n are asked for.
    const Index share = Index(double(rounds * heaps) * double(group) / double(n));
    const Index wanted =
        std::max({Index(1), std::min(share, group / least_keys), ceil_div(group, most_keys)});
    const Index size = ceil_div(ceil_div(group, wanted), warp_width) * warp_width;
    const MultiwayPieces pieces = MultiwayPieces::of(n, run, ways, int(size));
    const Index cost = ceil_div(pieces.count, heaps) * (size + keys_to_begin);
    if (rounds == 1 || cost < least) {
      best = pieces;
      least = cost;
    }
  }
  return best;
}

/// The passes that merge `ways` runs at a time until one is left.
inline std::vector<MultiwayPieces> multiway_passes(Index n, Index run, int ways, Index heaps, int node) {
  std::vector<MultiwayPieces> passes;
  for (; run < n; run *= ways) passes.push_back(multiway_pass(n, run, ways, heaps, node));
  return passes;
}

/// The most ends of pieces (PieceEnd) of a pass.
inline Index most_ends(const std::vector<MultiwayPieces>& passes) {
  Index most = 0;
  for (const MultiwayPieces& pass : passes) most = std::max(most, pass.count * pass.ways);
  return most;
}

}  // namespace fathom
