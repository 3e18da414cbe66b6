// SPDX-License-Identifier: Apache-2.0
// The keys of which too many begin alike for a radix sort from the most significant digit.
#pragma once

#include <fathom/algorithms/block/first_without.h>

namespace fathom {

/// A bucket is large if no block can sort it. PlanBuckets, which finds them, decides here which elements are
/// sorted by all digits: if the large buckets have few of them, these are gathered into a list, sorted there,
/// and put back. Where it says all, PlanClasses may say some again: the classes of rare keys, which can be
/// empty, are the large buckets then, and there are no others.
struct SkewedKeys {
  enum Which : u32 { none, some, all };

  Span<u32> which;  ///< one: those sorted by all digits are none, those of large buckets, or all
  Span<u32> count;  ///< of large buckets, and of their elements, both only for `some`
  /// Where each large bucket, in their order, begins in the list of gathered elements; after the last, where
  /// that list ends.
  Span<u32> gathered_from;
  Span<u32> bucket_from;  ///< where each large bucket begins in the list of all elements

  FATHOM_DEVICE
  void store_counts(u32 buckets, u32 elements) const {
    count.store(0, buckets);
    count.store(1, elements);
  }
  FATHOM_DEVICE
  int buckets() const { return int(count.load(0)); }
  FATHOM_DEVICE
  Index elements() const { return Index(count.load(1)); }

  /// Calls move(i, at) for each gathered element i in [begin, end), one after another by each thread of the
  /// block; at is its place in the list of all.
  template <class Block, class Threads, class Move>
  FATHOM_DEVICE
  void for_each(Block& block, Threads threads, Index begin, Index end, Move move) const {
    if (begin >= end) return;
    int bucket =
        first_without(0, buckets(), [&](int b) { return Index(gathered_from.load(b + 1)) <= begin; });
    u32 from = gathered_from.load(bucket), next = gathered_from.load(bucket + 1);
    u32 to = bucket_from.load(bucket);
    FATHOM_NO_UNROLL
    for (Index i = begin + block.thread(); i < end; i += threads) {
      while (i >= Index(next)) {
        ++bucket;
        from = next;
        next = gathered_from.load(bucket + 1);
        to = bucket_from.load(bucket);
      }
      move(i, Index(to) + (i - from));
    }
  }
};

}  // namespace fathom
