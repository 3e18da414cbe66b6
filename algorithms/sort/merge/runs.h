// SPDX-License-Identifier: Apache-2.0
// The two runs from which a tile of a merge round is merged.
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

/// A tile of what a pair of runs is merged into: its first `a_count` elements, before they are merged, are
/// from run a, the others from run b.
struct PairTile {
  int count;
  int a_count;
  Index from_a, from_b;

  /// Elements [begin, begin + count) of the merged pair, of which [a_begin, a_end) of run a.
  FATHOM_DEVICE
  static PairTile of(const RunPair& runs, Index begin, int count, Index a_begin, Index a_end) {
    const int a_count = int(a_end - a_begin);
    return {count, a_count, runs.a_first + a_begin, runs.b_first + begin - a_begin - a_count};
  }
  /// Tile `number` of a round that merges runs of length `run`, as partitioned by MergePathPartition.
  FATHOM_DEVICE
  static PairTile number(Index number, int size, Index n, Index run, const Span<const Index>& splits) {
    const Index first = number * size;
    const RunPair runs = pair_around(first, run, n);
    const Index begin = first - runs.a_first;
    const int count = int(min<Index>(runs.count() - begin, size));
    const Index a_begin = splits.load(number);
    const bool last_of_pair = begin + count == runs.count();
    return of(runs, begin, count, a_begin, last_of_pair ? runs.a_count() : splits.load(number + 1));
  }
  /// The place of element `at` in the input.
  FATHOM_DEVICE
  Index source(int at) const { return (at < a_count ? from_a : from_b) + at; }
};

}  // namespace fathom
