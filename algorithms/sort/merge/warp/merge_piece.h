// SPDX-License-Identifier: Apache-2.0
// The share of one warp in a round of GPU-Warpsort.
#pragma once

#include <fathom/algorithms/sort/merge/runs.h>

namespace fathom {

/// The part of a pair of runs that a warp merges: keys [a, a_end) and [b, b_end) of the input.
struct MergePiece {
  Index a, a_end, b, b_end;

  /// Piece `index` of a round that merges runs of length `run`, as partitioned by MergePathPartition.
  FATHOM_DEVICE
  static MergePiece number(Index index, Index piece_size, const Index& run, const Index& n,
                           const Span<const Index>& splits) {
    const RunPair pair = pair_around(index * piece_size, run, n);
    const Index begin = index * piece_size - pair.a_first, end = min(begin + piece_size, pair.count());
    const Index from_a = splits.load(index);
    const Index a_end = end == pair.count() ? pair.a_count() : splits.load(index + 1);
    return {pair.a_first + from_a, pair.a_first + a_end, pair.b_first + begin - from_a,
            pair.b_first + end - a_end};
  }
  FATHOM_DEVICE
  int count() const { return int(a_end - a + b_end - b); }
};

}  // namespace fathom
