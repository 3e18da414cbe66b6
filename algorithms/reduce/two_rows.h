// SPDX-License-Identifier: Apache-2.0
// A tree's nodes in shared memory without bank conflicts (agpu2015, pipeline reduction).
#pragma once

#include <fathom/device/contract/contract.h>

namespace fathom {

/// 2·length nodes. A tree reads pairs (2k, 2k + 1) with consecutive k and writes consecutive nodes. Even
/// nodes are in the first row, odd ones in the second, where the two halves of each round of the banks are
/// swapped. So the reads of pairs are of consecutive words, and a write of consecutive nodes, half even and
/// half odd, accesses each bank once.
template <class T>
struct TwoRows {
  Shared<T> nodes;
  int length;  ///< a multiple of the warp's width

  FATHOM_DEVICE
  T even(int k) const { return nodes.load(k); }
  FATHOM_DEVICE
  T odd(int k) const { return nodes.load(length + swapped(k)); }
  FATHOM_DEVICE
  void store(int node, const T& value) const {
    nodes.store(node % 2 == 0 ? node / 2 : length + swapped(node / 2), value);
  }

 private:
  /// Elements on half of the banks. An access to wider elements is served in parts that each cover the banks
  /// once.
  static constexpr int half_round = 64 % sizeof(T) == 0 ? 64 / int(sizeof(T)) : warp_width / 2;

  FATHOM_DEVICE
  static int swapped(int k) { return k ^ half_round; }
};

}  // namespace fathom
