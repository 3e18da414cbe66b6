// SPDX-License-Identifier: Apache-2.0
// The second step of a radix sort's pass (merrill2010 §3): where each block's keys of each digit go, among
// the keys of this digit.
#pragma once

#include <fathom/algorithms/block/scan.h>

namespace fathom {

/// Replaces every count of a digit by the sum of those before it: one block per digit. totals[digit] = the
/// sum of all. The source has one block for all digits, which takes longer than the rest of a pass where keys
/// are few; here RankAndScatter adds up the totals.
template <class Threads = Number>
struct ScanCounts {
  static constexpr const char* header = "fathom/algorithms/sort/radix/lsd/scan_counts.h";

  Span<u64> counts;  ///< [digit · of_a_digit + i]
  Span<u64> totals;
  Index of_a_digit;
  Threads threads_per_block;

  static int shared_memory() { return shared_bytes<u64>(warp_width); }

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const auto sums = block.template shared<u64>(warp_width);
    const Span<u64> row = counts.from(block.index() * of_a_digit);
    u64 before = 0;
    for (Index first = 0; first < of_a_digit; first += threads_per_block) {
      const Index i = first + block.thread();
      const u64 count = i < of_a_digit ? row.load(i) : 0;
      const BlockPrefix<u64> place = thread_prefix_in_block(block, count, sums, Plus{});
      if (i < of_a_digit) row.store(i, before + place.exclusive_prefix);
      before += place.aggregate;
      block.barrier();  // before `sums` are used again
    }
    if (block.thread() == 0) totals.store(block.index(), before);
  }
};

}  // namespace fathom
