// The two runs that a tile of a merge round is merged from.
#pragma once

#include <fathom/device/contract/contract.h>

namespace fathom {

/// Two neighbouring sorted runs that a round merges; at the end of the data either may be shorter or empty.
struct RunPair {
  Index a_first, b_first, end;

  FATHOM_DEVICE
  Index a_count() const { return b_first - a_first; }
  FATHOM_DEVICE
  Index b_count() const { return end - b_first; }
  FATHOM_DEVICE
  Index count() const { return end - a_first; }
};

/// The pair of runs of length `run` that contains `position`; `run` is a power of two times the tile size.
FATHOM_DEVICE
RunPair pair_around(Index position, Index run, Index n) {
  const Index a_first = position / (2 * run) * (2 * run);
  const Index b_first = min(a_first + run, n);
  return {a_first, b_first, min(b_first + run, n)};
}

}  // namespace fathom
