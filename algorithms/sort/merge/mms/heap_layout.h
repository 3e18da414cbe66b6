// Where a warp keeps the nodes of its heaps in shared memory, so that no access meets a bank conflict.
#pragma once

#include <fathom/device/contract/contract.h>

namespace fathom {

/// log₂ K of the K ≤ 32 leaves.
FATHOM_DEVICE
constexpr int levels_of_heap(int leaves) {
  return (leaves > 1) + (leaves > 2) + (leaves > 4) + (leaves > 8) + (leaves > 16);
}

/// A warp has as many heaps as it has groups of `lanes` lanes for each level of a heap. At the same time
/// every group accesses a node, which one depends on the keys: the node on its heap's path at its level, or
/// one of that node's children. So banks must depend on heap and level alone. Rows of 32 words hold the same
/// node of as many heaps as fit, and the rows of each level and of each group of heaps begin a few banks
/// further. The leaves begin where the root does, which is never accessed at the same time as they are.
struct HeapLayout {
  int leaves, node, lanes;  ///< leaves of a heap, keys of a node, lanes that merge two nodes

  FATHOM_DEVICE
  constexpr int levels() const { return levels_of_heap(leaves); }
  FATHOM_DEVICE
  constexpr int heaps() const { return fitting() / heaps_of_row() * heaps_of_row(); }

  /// The first key of node j of a level; level 0 is the root.
  FATHOM_DEVICE
  constexpr int at(int heap, int level, int j) const {
    const int groups_of_heaps = heaps() / heaps_of_row();
    const int rows_above = (1 << level) - 1 + (level == levels());  // one more makes room for the shift
    const int shift = (level == levels() ? 0 : level) * groups_of_heaps * lanes;
    return heap / heaps_of_row() * stride() + (rows_above + j) * warp_width + shift +
           heap % heaps_of_row() * (warp_width / heaps_of_row());
  }
  FATHOM_DEVICE
  constexpr int keys() const { return heaps() / heaps_of_row() * stride(); }

 private:
  FATHOM_DEVICE
  constexpr int fitting() const { return warp_width / (levels() * lanes); }
  FATHOM_DEVICE
  constexpr int heaps_of_row() const { return min(warp_width / node, fitting()); }
  FATHOM_DEVICE
  constexpr int stride() const { return 2 * leaves * warp_width + lanes; }
};

}  // namespace fathom
