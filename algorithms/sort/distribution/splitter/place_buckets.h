// SPDX-License-Identifier: Apache-2.0
// The third step of a level: where each bucket begins.
#pragma once

#include <fathom/algorithms/block/scan.h>
#include <fathom/algorithms/sort/distribution/splitter/buckets.h>

namespace fathom {

/// Scans the sizes of each parent's buckets and replaces them by the buckets' begins, from which the scatter
/// counts on. The buckets of all parents are numbered without gaps, although some parents have fewer than
/// others: what follows needs a block for each. One block per parent, with at least as many threads as ways.
struct PlaceBuckets {
  static constexpr const char* header = "fathom/algorithms/sort/distribution/splitter/place_buckets.h";

  BucketBounds parents;
  Span<const Split> splits;  ///< of each parent
  Span<u64> counters;        ///< `ways` per parent
  Span<Index> begins;        ///< of all buckets; those beyond the last one are empty
  int ways;

  static int shared_memory() { return 2 * shared_bytes<u64>(warp_width); }

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const auto sums = block.template shared<u64>(warp_width),
               other_sums = block.template shared<u64>(warp_width);
    u64 lower = 0;  // buckets of parents before this one
    for (Index parent = block.thread(); parent < block.index(); parent += block.threads())
      lower += u64(splits.load(parent).buckets);
    const Index first = Index(thread_prefix_in_block(block, lower, sums, Plus{}).aggregate);

    const bool exists = block.thread() < splits.load(block.index()).buckets;
    const Index counter = block.index() * ways + block.thread();
    const u64 size = exists ? counters.load(counter) : 0;
    const u64 begin = u64(parents.begin(block.index())) +
                      thread_prefix_in_block(block, size, other_sums, Plus{}).exclusive_prefix;
    if (exists) {
      counters.store(counter, begin);
      begins.store(first + block.thread(), Index(begin));
    }
    if (block.index() == block.blocks() - 1)
      for (Index i = first + splits.load(block.index()).buckets + block.thread(); i < Index(begins.count);
           i += block.threads())
        begins.store(i, parents.end(block.index()));
  }
};

}  // namespace fathom
