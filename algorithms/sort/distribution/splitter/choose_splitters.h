// SPDX-License-Identifier: Apache-2.0
// The first step of a level: splitters from a sorted sample of each parent.
#pragma once

#include <fathom/algorithms/block/first_without.h>
#include <fathom/algorithms/block/merge_sort.h>
#include <fathom/algorithms/sort/distribution/splitter/list_tiles.h>

namespace fathom {

/// Splits each parent into about equal buckets of about `child` elements, at most `ways`, by every a-th of a
/// sample of a per bucket. One element is drawn from each of as many parts of equal length, so that no order
/// of the input, sorted or periodic, meets the sample's. One block per parent; ways·a ≤ threads × elements,
/// and below 2^16. LessThan orders keys.
///
/// Also lists the tiles of the parents, and clears their counters.
template <class Key, class LessThan, class Threads = Number, class Elements = Number>
struct ChooseSplitters {
  static constexpr const char* header = "fathom/algorithms/sort/distribution/splitter/choose_splitters.h";

  Span<const Key> keys;
  BucketBounds parents;
  Index child;
  int ways;
  int samples_per_bucket;
  Span<Key> splitters;       ///< `ways` per parent
  Span<EqualSamples> equal;  ///< likewise
  Span<Split> splits;        ///< of each parent
  Span<u64> counters;        ///< of each parent's buckets
  ListedTiles tiles;
  Threads threads_per_block;
  Elements elements_per_thread;

  /// Blocks take places in the list from each other.
  static constexpr bool blocks_communicate = true;

  static int shared_memory(int threads, int elements) {
    return shared_bytes<Key>(threads * elements) + shared_bytes<int>(threads) + shared_bytes<u32>(2);
  }

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const auto sample = block.template shared<Key>(threads_per_block * elements_per_thread);
    const auto scratch = block.template shared<int>(threads_per_block);
    const auto shared = block.template shared<u32>(2);
    const Index begin = parents.begin(block.index()), end = parents.end(block.index()), size = end - begin;
    if (block.thread() == 0) shared.store(0, 0);
    for (int i = block.thread(); i < ways; i += threads_per_block)
      counters.store(block.index() * ways + i, 0);
    tiles.add(block, threads_per_block, begin, end, shared.from(1));

    const int buckets = int(max<Index>(min<Index>(ceil_div(size, child), ways), 1));
    const int count = size > 0 ? buckets * samples_per_bucket : 0;
    const Index part = (size << 16) / (buckets * samples_per_bucket);
    Registers<Key, Elements> sorted(elements_per_thread);
    sort_in_block(
        block, sorted, elements_per_thread, sample, scratch, count,
        [&](int i) { return keys.load(begin + drawn(i, part)); }, LessThan{});
    FATHOM_UNROLL
    for (int i = 0; i < elements_per_thread; ++i) {
      const int at = block.thread() * elements_per_thread + i;
      if (at < count) sample.store(at, sorted[i]);
    }
    block.barrier();

    for (int i = block.thread(); i < buckets - 1; i += threads_per_block) {
      const int at = (i + 1) * samples_per_bucket;
      const Key splitter = sample.load(at);
      // Samples that are less, and those that are not greater.
      const int first =
          first_without(0, at, [&](int j) { return compare(sample.load(j), splitter, LessThan{}); });
      const int last =
          first_without(at, count, [&](int j) { return !compare(splitter, sample.load(j), LessThan{}); });
      splitters.store(block.index() * ways + i, splitter);
      equal.store(block.index() * ways + i, {u16(first), u16(last - first)});
      if (last - first > 1) shared.atomic_or(0, 1);
    }
    block.barrier();
    if (block.thread() == 0) splits.store(block.index(), {buckets, int(shared.load(0))});
  }

 private:
  /// The position of sample i, somewhere in its part, whose length is `part`/2^16.
  FATHOM_DEVICE
  static Index drawn(int i, Index part) {
    const Index within = part * Index(spread(i) >> 16) >> 16;
    return (i * part + within) >> 16;
  }
};

}  // namespace fathom
