// SPDX-License-Identifier: Apache-2.0
// Combines across a warp and a block, in the order of the threads: for any associative operator.
#pragma once

#include <fathom/device/contract/contract.h>

namespace fathom {

/// The combination of all lanes' values in lane order, in lane 0.
template <class T, class Operator, class Block>
FATHOM_DEVICE
T reduce_warp(Block& block, T value, Operator combine) {
  FATHOM_UNROLL
  for (int distance = 1; distance < warp_width; distance *= 2)
    value = combine(value, block.shuffle_down(value, distance));
  return value;
}

/// The combination of the values in the warps' lanes 0, in warp order, in thread 0. Needs
/// shared_bytes<T>(warp_width) of shared memory.
template <class T, class Operator, class Block>
FATHOM_DEVICE
T combine_warps(Block& block, T of_my_warp, Operator combine) {
  const auto results = block.template shared<T>(warp_width);
  if (block.lane() == 0) results.store(block.warp(), of_my_warp);
  block.barrier();
  if (block.warp() > 0) return of_my_warp;
  const T mine = block.lane() < block.warps() ? results.load(block.lane()) : identity_of<Operator, T>();
  return reduce_warp(block, mine, combine);
}

/// The combination of all threads' values in thread order, in thread 0. Needs as much shared memory as
/// combine_warps.
template <class T, class Operator, class Block>
FATHOM_DEVICE
T reduce_block(Block& block, T value, Operator combine) {
  return combine_warps(block, reduce_warp(block, value, combine), combine);
}

/// Returns in all threads whether the condition holds in any. `warps` has warp_width words, and is free again
/// after the next barrier.
template <class Block>
FATHOM_DEVICE
bool any_in_block(Block& block, bool condition, const Shared<u32>& warps) {
  const bool in_warp = block.ballot(condition) != 0;
  if (block.lane() == 0) warps.store(block.warp(), in_warp);
  block.barrier();
  return block.ballot(block.lane() < block.warps() && warps.load(block.lane()) != 0) != 0;
}

/// Length of the chain of combinations in reduce_block: five within the warp, five across warps.
inline constexpr int depth_of_block = 10;

}  // namespace fathom
