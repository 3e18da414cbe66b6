// SPDX-License-Identifier: Apache-2.0
// The buckets that SortBuckets leaves: those that are larger than a tile, which unlucky samples may make.
#pragma once

#include <fathom/algorithms/block/merge_sort.h>
#include <fathom/algorithms/sort/distribution/splitter/buckets.h>
#include <fathom/algorithms/sort/merge/runs.h>

namespace fathom {

/// Sorts each bucket of more than `limit` elements by a mergesort of one block, from `input` to
/// `output`, both of which are overwritten. Block b of B takes the buckets b, b + B, …, one per thread:
/// neighbours, which may be large together, go to different blocks.
template <class Element, class LessThan, class Threads = Number, class Elements = Number>
struct SortLargeBuckets {
  static constexpr const char* header = "fathom/algorithms/sort/distribution/splitter/sort_large_buckets.h";

  using Order = OrderOf<Element, LessThan>;

  ListOf<Element> input;
  ListOf<Element> output;
  BucketBounds buckets;
  Index bucket_count;
  Index limit;
  Threads threads_per_block;
  Elements elements_per_thread;

  static int shared_memory(int threads, int elements) {
    return shared_bytes<Element>(threads * elements) + shared_bytes<int>(threads) +
           shared_bytes<int>(threads) + shared_bytes<u32>(1);
  }

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const int tile_size = threads_per_block * elements_per_thread;
    const auto tile = block.template shared<Element>(tile_size);
    const auto splits = block.template shared<int>(threads_per_block);
    const auto large = block.template shared<int>(threads_per_block);
    const auto large_count = block.template shared<u32>(1);
    if (block.thread() == 0) large_count.store(0, 0);
    block.barrier();
    const Index mine = block.index() + block.thread() * block.blocks();
    if (mine < bucket_count && buckets.end(mine) - buckets.begin(mine) > limit)
      large.store(int(large_count.atomic_add(0, 1)), block.thread());
    block.barrier();
    const int count = int(large_count.load(0));
    FATHOM_NO_UNROLL
    for (int i = 0; i < count; ++i) {
      const Index bucket = block.index() + large.load(i) * block.blocks();
      const Index begin = buckets.begin(bucket), size = buckets.end(bucket) - begin;
      sort(block, input.from(begin), output.from(begin), size, tile, splits);
    }
  }

 private:
  /// Sorts tiles and merges runs, round by round, beginning in the list from which the last round ends in
  /// `b`.
  template <class Block>
  FATHOM_DEVICE
  void sort(Block& block, ListOf<Element> a, ListOf<Element> b, Index size, Shared<Element> tile,
            Shared<int> splits) const {
    const int tile_size = threads_per_block * elements_per_thread;
    int rounds = 0;
    while (Index(tile_size) << rounds < size) ++rounds;
    bool in_b = rounds % 2 == 0;
    FATHOM_NO_UNROLL
    for (Index first = 0; first < size; first += tile_size) {
      const int count = int(min<Index>(size - first, tile_size));
      Registers<Element, Elements> sorted(elements_per_thread);
      const auto source = read_only(a).from(first);
      sort_in_block(
          block, sorted, elements_per_thread, tile, splits, count, [&](int i) { return source.load(i); },
          Order{});
      write_front(block, sorted, elements_per_thread, tile, (in_b ? b : a).from(first), count);
      block.barrier();
    }
    FATHOM_NO_UNROLL
    for (Index run = tile_size; run < size; run *= 2) {
      FATHOM_NO_UNROLL
      for (Index first = 0; first < size; first += tile_size)
        merge(block, read_only(in_b ? b : a), in_b ? a : b, first, run, size, tile, splits);
      in_b = !in_b;
    }
  }

  /// One tile of the merge of the runs around it.
  template <class Block>
  FATHOM_DEVICE
  void merge(Block& block, ConstListOf<Element> from, ListOf<Element> to, Index first, Index run, Index size,
             Shared<Element> tile, Shared<int> splits) const {
    const RunPair runs = pair_around(first, run, size);
    const auto keys = keys_of(from);
    const auto split = [&](Index diagonal) {
      return merge_path(keys.from(runs.a_first), runs.a_count(), keys.from(runs.b_first), runs.b_count(),
                        diagonal, LessThan{});
    };
    const Index begin = first - runs.a_first;
    const int count = int(min<Index>(runs.count() - begin, threads_per_block * elements_per_thread));
    const Index a_begin = split(begin);
    const auto part = PairTile::of(runs, begin, count, a_begin, split(begin + count));
    for (int i = block.thread(); i < count; i += threads_per_block) tile.store(i, from.load(part.source(i)));
    pad_tile(block, elements_per_thread, tile, count);
    block.barrier();
    Registers<Element, Elements> merged(elements_per_thread);
    const PairShare pair{0, part.a_count, count, block.thread(), block.thread() == threads_per_block - 1};
    merge_share(merged, elements_per_thread, tile, pair, splits, block.thread(), Order{},
                [&] { block.barrier(); });
    block.barrier();
    write_front(block, merged, elements_per_thread, tile, to.from(first), count);
    block.barrier();
  }
};

}  // namespace fathom
