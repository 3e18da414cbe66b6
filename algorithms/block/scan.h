// SPDX-License-Identifier: Apache-2.0
// Scans across a warp and across a block, for any associative operator that has an identity.
#pragma once

#include <fathom/device/contract/contract.h>

namespace fathom {

/// The combination of the values of the caller's group of `lanes` neighbouring lanes, a power of two, up to
/// and including its own. `place` is its place in the group.
template <class T, class Lanes, class Operator, class Block>
FATHOM_DEVICE
T inclusive_scan_lanes(Block& block, T value, int place, Lanes lanes, Operator combine) {
  FATHOM_UNROLL
  for (int distance = 1; distance < lanes; distance *= 2) {
    const T before = block.shuffle_up(value, distance);
    if (place >= distance) value = combine(before, value);
  }
  return value;
}

/// The same over all lanes of a warp.
template <class T, class Operator, class Block>
FATHOM_DEVICE
T inclusive_scan_warp(Block& block, T value, Operator combine) {
  return inclusive_scan_lanes(block, value, block.lane(), warp_width, combine);
}

template <class T>
struct BlockPrefix {
  T exclusive_prefix;  ///< the combination of all preceding values of the block
  T aggregate;         ///< of the whole block
};

/// Over the warps' values; every lane of a warp passes its warp's value. `sums` has room for warp_width
/// values. Uses one barrier; every warp scans all warps' values itself, which saves a second one.
template <class T, class Operator, class Block>
FATHOM_DEVICE
BlockPrefix<T> warp_prefix_in_block(Block& block, T value, const Shared<T>& sums, Operator combine) {
  const T identity = identity_of<Operator, T>();
  if (block.lane() == 0) sums.store(block.warp(), value);
  block.barrier();
  const T sum = block.lane() < block.warps() ? sums.load(block.lane()) : identity;
  const T scanned = inclusive_scan_warp(block, sum, combine);
  const T lower = block.shuffle(scanned, max(block.warp() - 1, 0));
  return {block.warp() == 0 ? identity : lower, block.shuffle(scanned, warp_width - 1)};
}

/// Over the threads' values; otherwise like warp_prefix_in_block.
template <class T, class Operator, class Block>
FATHOM_DEVICE
BlockPrefix<T> thread_prefix_in_block(Block& block, T value, const Shared<T>& sums, Operator combine) {
  const T inclusive = inclusive_scan_warp(block, value, combine);
  const T lower = block.shuffle_up(inclusive, 1);
  const BlockPrefix<T> warp =
      warp_prefix_in_block(block, block.shuffle(inclusive, warp_width - 1), sums, combine);
  return {block.lane() == 0 ? warp.exclusive_prefix : combine(warp.exclusive_prefix, lower), warp.aggregate};
}

}  // namespace fathom
