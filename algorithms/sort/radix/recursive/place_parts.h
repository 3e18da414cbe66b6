// SPDX-License-Identifier: Apache-2.0
// The third step of a level of a recursive radix sort: where each bucket begins, and which are split further.
#pragma once

#include <fathom/algorithms/block/scan.h>
#include <fathom/algorithms/sort/distribution/splitter/buckets.h>

namespace fathom {

/// Scans the sizes of each parent's buckets and replaces them by the buckets' begins, from which the scatter
/// counts on to their ends. Buckets of more than `capacity` elements become parents of the next level. One
/// block per parent that there may be, with at least as many threads as ways.
struct PlaceParts {
  static constexpr const char* header = "fathom/algorithms/sort/radix/recursive/place_parts.h";

  PartBounds parents;
  Span<const u32> parent_count;
  Span<u64> counters;     ///< `ways` per parent
  Span<PartOfList> next;  ///< the next level's parents, in any order; empty after the last level
  Span<u32> next_count;   ///< likewise
  Index capacity;
  int ways;

  /// Blocks take places among the next level's parents from each other.
  static constexpr bool blocks_communicate = true;

  static int shared_memory() { return shared_bytes<u64>(warp_width); }

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const auto sums = block.template shared<u64>(warp_width);
    if (block.index() >= parent_count.load(0)) return;
    const bool exists = block.thread() < ways;
    const Index counter = block.index() * ways + block.thread();
    const u64 size = exists ? counters.load(counter) : 0;
    const u64 begin = u64(parents.begin(block.index())) +
                      thread_prefix_in_block(block, size, sums, Plus{}).exclusive_prefix;
    if (exists) counters.store(counter, begin);
    if (Index(size) > capacity && next.count > 0)
      next.store(next_count.atomic_add_relaxed(0, 1u), {Index(begin), Index(begin + size)});
  }
};

}  // namespace fathom
