// The third step of a level: where each bucket begins.
#pragma once

#include <fathom/algorithms/scan/in_block.h>
#include <fathom/algorithms/sort/distribution/splitter/buckets.h>

namespace fathom {

/// Scans the sizes of each parent's buckets and replaces them by the buckets' begins, from which the scatter
/// counts on. One block per parent, with at least as many threads as ways.
struct PlaceBuckets {
  static constexpr const char* header = "fathom/algorithms/sort/distribution/splitter/place_buckets.h";

  BucketBounds parents;
  Span<u64> counters;  ///< `ways` per parent
  Span<Index> begins;  ///< the same, and the end of the last one
  int ways;

  static int shared_memory() { return shared_bytes<u64>(warp_width); }

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const auto sums = block.template shared<u64>(warp_width);
    const Index bucket = block.index() * ways + block.thread();
    const bool exists = block.thread() < ways;
    const u64 size = exists ? counters.load(bucket) : 0;
    const u64 begin = u64(parents.begin(block.index())) +
                      thread_prefix_in_block(block, size, sums, Plus{}).exclusive_prefix;
    if (exists) {
      counters.store(bucket, begin);
      begins.store(bucket, Index(begin));
    }
    if (block.thread() == 0 && block.index() == block.blocks() - 1)
      begins.store(block.blocks() * ways, parents.end(block.index()));
  }
};

}  // namespace fathom
