// SPDX-License-Identifier: Apache-2.0
// Merge path: where a diagonal crosses the path of a merge of two sorted lists.
#pragma once

#include <fathom/device/contract/contract.h>

namespace fathom {

/// How many of the first `diagonal` elements of the merged list come from `a`; equal elements come from `a`
/// first. Lists are anything with load(); 0 ≤ diagonal ≤ a_count + b_count.
template <class List, class Position, class LessThan>
FATHOM_DEVICE
Position merge_path(List a, Position a_count, List b, Position b_count, Position diagonal, LessThan less) {
  Position low = max(Position(0), Position(diagonal - b_count));
  Position high = min(diagonal, a_count);
  while (low < high) {
    const Position middle = (low + high) / 2;
    if (compare(b.load(diagonal - 1 - middle), a.load(middle), less))
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

/// The same by a warp, all of whose lanes call it and get the answer. They look at as many elements at a
/// time, where one thread waits for each: a fifth of the waits for memory.
template <class Block, class List, class Position, class LessThan>
FATHOM_DEVICE
Position merge_path_by_warp(Block& block, List a, Position a_count, List b, Position b_count,
                            Position diagonal, LessThan less) {
  Position low = max(Position(0), Position(diagonal - b_count));
  Position high = min(diagonal, a_count);
  while (low < high) {
    // The lanes part the answers that are left, low to high, into one group more than there are lanes.
    const Position step = Position(ceil_div(high - low + 1, warp_width + 1));
    const Position at = low + (block.lane() + 1) * step - 1;
    const bool before = at < high && !compare(b.load(diagonal - 1 - at), a.load(at), less);
    low += count_ones(block.ballot(before)) * step;
    high = min(high, Position(low + step - 1));
  }
  return low;
}

}  // namespace fathom
