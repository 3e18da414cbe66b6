// A tree's nodes in shared memory without bank conflicts (agpu2015, pipeline reduction).
#pragma once

#include <fathom/device/contract/contract.h>

namespace fathom {

/// 2·length nodes, of which a tree reads pairs (2k, 2k + 1) with consecutive k and writes consecutive ones.
/// Even nodes stand in the first row, odd ones in the second, and there each node stands half a round of the
/// banks farther or nearer. So the pairs' reads are of consecutive words, and a write of consecutive nodes,
/// half of them even, half odd, falls on each bank once.
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
  /// Elements on half of the banks. A warp's access to wider elements is served in parts that cover the banks
  /// once each.
  static constexpr int half_round = 64 % sizeof(T) == 0 ? 64 / int(sizeof(T)) : warp_width / 2;

  FATHOM_DEVICE
  static int swapped(int k) { return k ^ half_round; }
};

}  // namespace fathom
