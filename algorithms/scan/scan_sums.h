// The second step of the matrix scan: one block scans the chunks' sums.
#pragma once

#include <fathom/device/contract.h>

namespace fathom {

/// The combination of the values of all lanes up to and with the own one.
template <class T, class Operator, class Block>
FATHOM_DEVICE
T inclusive_scan_warp(Block& block, T value, Operator combine) {
  FATHOM_UNROLL
  for (int distance = 1; distance < warp_width; distance *= 2) {
    const T before = block.shuffle_up(value, distance);
    if (block.lane() >= distance) value = combine(before, value);
  }
  return value;
}

/// Exclusive scan in place. One block; its threads share the sums out in equal, consecutive parts.
template <class T, class Operator, class Threads = int>
struct ScanSums {
  Span<T> sums;
  Index count;
  Threads threads_per_block;

  static int shared_memory() { return shared_bytes<T>(warp_width); }

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const Operator combine{};
    const T identity = Operator::template identity<T>();
    const Index part = divide_up(count, Index(threads_per_block));
    const Index begin = smaller(part * block.thread(), count);
    const Index end = smaller(begin + part, count);

    T mine = identity;
    for (Index i = begin; i < end; ++i) mine = combine(mine, sums.load(i));
    T before = exclusive_scan_block(block, mine, combine, identity);
    for (Index i = begin; i < end; ++i) {
      const T value = sums.load(i);
      sums.store(i, before);
      before = combine(before, value);
    }
  }

 private:
  template <class Block>
  FATHOM_DEVICE
  T exclusive_scan_block(Block& block, T value, Operator combine, T identity) const {
    const auto warp_sums = block.template shared<T>(warp_width);
    const T inclusive = inclusive_scan_warp(block, value, combine);
    if (block.lane() == warp_width - 1) warp_sums.store(block.warp(), inclusive);
    block.barrier();
    if (block.warp() == 0) {
      const T sum = block.lane() < block.warps() ? warp_sums.load(block.lane()) : identity;
      const T scanned = inclusive_scan_warp(block, sum, combine);
      warp_sums.store(block.lane(), scanned);
    }
    block.barrier();
    const T lower = block.shuffle_up(inclusive, 1);
    const T in_warp = block.lane() == 0 ? identity : lower;
    return block.warp() == 0 ? in_warp : combine(warp_sums.load(block.warp() - 1), in_warp);
  }
};

}  // namespace fathom
