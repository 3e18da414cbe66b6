// The passes of a multiway mergesort, for its plan.
#pragma once

#include <fathom/algorithms/sort/merge/multiway_pieces.h>

#include <algorithm>
#include <vector>

namespace fathom {

/// The passes after runs of `run` keys have been sorted, each cut into at most `pieces` pieces of at least
/// `least_size` keys, or into one for each group.
inline std::vector<MultiwayPieces> multiway_passes(Index n, Index run, int ways, Index pieces,
                                                   Index least_size) {
  constexpr Index most_keys = Index(1) << 30;  // positions within a piece are 32-bit numbers
  std::vector<MultiwayPieces> passes;
  for (; run < n; run *= ways) {
    const Index group = std::min(run * ways, n), groups = ceil_div(n, run * ways);
    const Index wanted =
        std::max({Index(1), std::min(pieces / groups, group / least_size), ceil_div(group, most_keys)});
    const Index size = ceil_div(ceil_div(group, wanted), warp_width) * warp_width;
    passes.push_back({n, run, ways, ceil_div(group, size), int(size)});
  }
  return passes;
}

}  // namespace fathom
