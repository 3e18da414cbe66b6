// SPDX-License-Identifier: Apache-2.0
// The last step of a deterministic choice of splitters: every q-th of a parent's sorted samples.
#pragma once

#include <fathom/algorithms/block/first_without.h>
#include <fathom/algorithms/sort/distribution/splitter/list_tiles.h>

namespace fathom {

/// Splits each parent into at most `ways` buckets of equally many samples, which lie in the sorted samples
/// where the parent's keys lie among all. One block per parent. LessThan orders keys.
///
/// Also lists the tiles of the parents, and clears their counters.
template <class Key, class LessThan, class Threads = Number>
struct PickSplitters {
  static constexpr const char* header = "fathom/algorithms/sort/distribution/deterministic/pick_splitters.h";

  /// EqualSamples counts in these parts of a bucket's samples, whose number has no bound.
  static constexpr int log_parts = 6;

  Span<const Key> samples;  ///< sorted
  BucketBounds parents;
  Index stride;
  int ways;
  Span<Key> splitters;       ///< `ways` per parent
  Span<EqualSamples> equal;  ///< likewise
  Span<Split> splits;        ///< of each parent
  Span<u64> counters;        ///< of each parent's buckets
  ListedTiles tiles;
  Threads threads_per_block;

  /// Blocks take places in the list from each other.
  static constexpr bool blocks_communicate = true;

  static int shared_memory() { return shared_bytes<u32>(2); }

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const auto shared = block.template shared<u32>(2);
    const Index begin = parents.begin(block.index()), end = parents.end(block.index());
    if (block.thread() == 0) shared.store(0, 0);
    for (int i = block.thread(); i < ways; i += threads_per_block)
      counters.store(block.index() * ways + i, 0);
    tiles.add(block, threads_per_block, begin, end, shared.from(1));

    const auto own = samples.from(begin / stride);
    const Index count = end / stride - begin / stride, per_bucket = max<Index>(ceil_div(count, ways), 1);
    const int buckets = int(max<Index>(ceil_div(count, per_bucket), 1));
    for (int i = block.thread(); i < buckets - 1; i += threads_per_block) {
      const Index at = (i + 1) * per_bucket - 1;
      const Key splitter = own.load(at);
      // Samples that are less, and those that are not greater.
      const Index first =
          first_without(Index(0), at, [&](Index j) { return compare(own.load(j), splitter, LessThan{}); });
      const Index last =
          first_without(at, count, [&](Index j) { return !compare(splitter, own.load(j), LessThan{}); });
      const Index first_part = (first << log_parts) / per_bucket;
      splitters.store(block.index() * ways + i, splitter);
      equal.store(block.index() * ways + i,
                  {u16(first_part), u16(ceil_div(last << log_parts, per_bucket) - first_part)});
      if (last - first > 1) shared.atomic_or(0, 1);
    }
    block.barrier();
    if (block.thread() == 0) splits.store(block.index(), {buckets, int(shared.load(0))});
  }
};

}  // namespace fathom
