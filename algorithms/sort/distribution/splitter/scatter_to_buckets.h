// SPDX-License-Identifier: Apache-2.0
// The last step of a level: every element moves to its bucket.
#pragma once

#include <fathom/algorithms/block/scan.h>
#include <fathom/algorithms/sort/distribution/splitter/tile_in_registers.h>

namespace fathom {

/// One block per tile. It takes as many places in each bucket as it has elements for it, ranks its elements
/// by bucket with atomics in shared memory, and moves them through shared memory, so that those of a bucket
/// go to consecutive addresses. Their order within a bucket is arbitrary.
template <class Element, class Bounds, class Threads = Number, class Elements = Number>
struct ScatterToBuckets {
  static constexpr const char* header = "fathom/algorithms/sort/distribution/splitter/scatter_to_buckets.h";

  ConstListOf<Element> input;
  ListOf<Element> output;
  TileList<Bounds> tiles;
  Span<const u8> buckets;      ///< of each element
  Span<const u16> histograms;  ///< of each tile
  Span<u64> counters;          ///< where the next element of each parent's buckets goes
  int ways;
  Threads threads_per_block;
  Elements elements_per_thread;

  /// Blocks take places in buckets from each other. On a GPU the order varies.
  static constexpr bool blocks_communicate = true;

  static int shared_memory(int ways, int threads, int elements) {
    return shared_bytes<u32>(ways) + shared_bytes<Index>(ways) + shared_bytes<u32>(warp_width) +
           shared_bytes<Element>(threads * elements) + shared_bytes<u8>(threads * elements);
  }

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const TilePart part = tiles.tile(block.index());
    if (part.begin >= part.end) return;
    const int count = int(part.end - part.begin), tile_size = threads_per_block * elements_per_thread;
    const auto next = block.template shared<u32>(ways);  // where a bucket's next element goes in the tile
    const auto targets = block.template shared<Index>(ways);
    const auto sums = block.template shared<u32>(warp_width);
    const auto tile = block.template shared<Element>(tile_size);
    const auto bucket_at = block.template shared<u8>(tile_size);

    Registers<int, Elements> bucket(elements_per_thread), place(elements_per_thread);
    load_tile(block, buckets, part, threads_per_block, elements_per_thread, bucket);
    Registers<Element, Elements> element(elements_per_thread);
    load_tile(block, input, part, threads_per_block, elements_per_thread, element);
    take_places(block, part.parent * ways, next, targets, sums);
    block.barrier();

    const bool whole = is_whole(part, threads_per_block, elements_per_thread);
    FATHOM_UNROLL
    for (int i = 0; i < elements_per_thread; i += group_size) {
      if (whole) {
        count_group(bucket[i], bucket[i + 1], bucket[i + 2], bucket[i + 3], next,
                    [&](int j, u32 rank) { place[i + j] = int(rank); });
      } else {
        FATHOM_UNROLL
        for (int j = i; j < i + group_size; ++j)
          if (part.contains(part.first + place_in_tile(block, threads_per_block, j)))
            place[j] = int(next.atomic_add(bucket[j], 1));
      }
    }
    FATHOM_UNROLL
    for (int i = 0; i < elements_per_thread; ++i) {
      if (whole || part.contains(part.first + place_in_tile(block, threads_per_block, i))) {
        tile.store(place[i], element[i]);
        bucket_at.store(place[i], u8(bucket[i]));
      }
    }
    block.barrier();
    FATHOM_UNROLL
    for (int i = 0; i < elements_per_thread; ++i) {
      const int at = block.thread() + i * threads_per_block;
      if (whole || at < count) output.store(targets.load(bucket_at.load(at)) + at, tile.load(at));
    }
  }

 private:
  /// One thread per bucket. targets[b] + i is where element i of the tile goes if it belongs to bucket b.
  template <class Block>
  FATHOM_DEVICE
  void take_places(Block& block, Index first_bucket, Shared<u32> next, Shared<Index> targets,
                   Shared<u32> sums) const {
    const int bucket = block.thread();
    const u32 count = bucket < ways ? u32(histograms.load(block.index() * ways + bucket)) : 0;
    const u64 target = count > 0 ? counters.atomic_add_relaxed(first_bucket + bucket, u64(count)) : 0;
    const u32 begin = thread_prefix_in_block(block, count, sums, Plus{}).exclusive_prefix;
    if (bucket < ways) {
      next.store(bucket, begin);
      targets.store(bucket, Index(target) - Index(begin));
    }
  }
};

}  // namespace fathom
