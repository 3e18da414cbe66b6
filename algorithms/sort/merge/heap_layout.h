// SPDX-License-Identifier: Apache-2.0
// Where a warp keeps the nodes of its heaps in shared memory, so that no access meets a bank conflict.
#pragma once

#include <fathom/device/contract/contract.h>

namespace fathom {

/// ⌈log₂ x⌉ for 1 ≤ x ≤ 32.
FATHOM_DEVICE
constexpr int ceil_log2_to_32(int x) {
  return (x > 1) + (x > 2) + (x > 4) + (x > 8) + (x > 16);
}

/// How many keys a row of so many words has: a power of two, 8 at least. A lane holds two rows in registers,
/// and what a merge costs per key grows with the logarithm of a row's keys: on an H200 rows of 16 words are
/// fastest for keys of one word and of two.
FATHOM_DEVICE
constexpr int row_keys(int words, int key_words) {
  return max(8, words >> ceil_log2_to_32(key_words));
}

/// A warp has a group of `lanes` lanes for each level of each heap. All groups access a node at the same
/// time: the one on their heap's path at their level, or one of its children. Which one it is depends on the
/// keys, so its banks must depend on heap and level alone. A row of as many keys as there are banks holds the
/// same node of as many heaps as fit, and the rows of each level and of each set of such heaps begin some
/// banks further.
struct HeapLayout {
  int leaves;     ///< of a heap: a power of two up to 32
  int node;       ///< keys of a node's row
  int lanes;      ///< that merge two nodes
  int key_words;  ///< 32-bit words of a key
  int rows;       ///< of a node

  FATHOM_DEVICE
  constexpr int levels() const { return ceil_log2_to_32(leaves); }
  FATHOM_DEVICE
  constexpr int heaps() const { return fitting() / heaps_of_row() * heaps_of_row(); }

  /// Where node 0 of a level begins, in keys; level 0 is the root.
  FATHOM_DEVICE
  constexpr int at(int heap, int level) const {
    return heap / heaps_of_row() * stride() + ((1 << level) - 1) * pitch() +
           level * (heaps() / heaps_of_row()) * lanes + heap % heaps_of_row() * (banks() / heaps_of_row());
  }
  /// From a node of a level to the next one.
  FATHOM_DEVICE
  constexpr int pitch() const { return rows * row(); }
  /// From a row of a node to the next one.
  FATHOM_DEVICE
  constexpr int row() const { return max(node, banks()); }
  FATHOM_DEVICE
  constexpr int keys() const { return heaps() / heaps_of_row() * stride(); }

 private:
  FATHOM_DEVICE
  constexpr int banks() const {
    // Three words are accessed one by one; since 3 is odd, what does not conflict in words does not in
    // threes.
    return key_words % 2 != 0 ? warp_width : warp_width >> ceil_log2_to_32(key_words);
  }
  FATHOM_DEVICE
  constexpr int fitting() const { return warp_width / (levels() * lanes); }
  FATHOM_DEVICE
  constexpr int heaps_of_row() const { return min(max(banks() / node, 1), fitting()); }
  FATHOM_DEVICE
  constexpr int stride() const { return (2 * leaves - 1) * pitch() + warp_width + lanes; }
};

}  // namespace fathom
