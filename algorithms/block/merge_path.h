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

}  // namespace fathom
