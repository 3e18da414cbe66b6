// SPDX-License-Identifier: Apache-2.0
// The second step of a level: which bucket each key belongs to, and how many are in each.
#pragma once

#include <fathom/algorithms/block/store.h>
#include <fathom/algorithms/sort/distribution/splitter/tile_in_registers.h>

namespace fathom {

/// Writes each key's bucket and each tile's counts, and adds up the buckets' sizes. One block per tile. A
/// Classifier makes what it needs in shared memory, `in_block`, which then finds the buckets of a batch of
/// keys: SplitterTree, DigitOfKeys.
template <class Key, class Classifier, class Bounds, class Threads = Number, class Elements = Number>
struct ClassifyKeys {
  static constexpr const char* header = Classifier::header;

  Span<const Key> keys;
  TileList<Bounds> tiles;
  Classifier classifier;
  Span<u8> buckets;      ///< of each key
  Span<u64> counters;    ///< of each parent's buckets
  Span<u16> histograms;  ///< of each tile, `ways` counts
  int ways;
  Threads threads_per_block;
  Elements elements_per_thread;

  /// `classifier` bytes are the classifier's.
  static int shared_memory(int ways, int classifier) { return classifier + shared_bytes<u32>(ways); }

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const TilePart part = tiles.tile(block.index());
    if (part.begin >= part.end) return;
    Registers<Key, Elements> key(elements_per_thread);
    load_tile(block, keys, part, threads_per_block, elements_per_thread, key);

    const auto in_block = classifier.in_block(block, threads_per_block, part);
    const auto counts = block.template shared<u32>(ways);
    fill_shared(block, threads_per_block, counts, ways, 0u);
    block.barrier();

    const bool whole = is_whole(part, threads_per_block, elements_per_thread);
    FATHOM_UNROLL
    for (int first = 0; first < elements_per_thread; first += Batch{}) {
      Registers<int, Batch> bucket(Batch{});
      in_block.find_buckets(block, threads_per_block, key, first, bucket);
      store_batch(block, bucket, first, part, whole, threads_per_block, buckets);
      count(block, bucket, first, part, whole, counts);
    }
    block.barrier();
    for (int i = block.thread(); i < ways; i += threads_per_block) {
      const u32 count = counts.load(i);
      histograms.store(block.index() * ways + i, u16(count));
      if (count > 0) counters.atomic_add_relaxed(part.parent * ways + i, u64(count));
    }
  }

 private:
  template <class Block>
  FATHOM_DEVICE
  void count(Block& block, const Registers<int, Batch>& bucket, int first, const TilePart& part, bool whole,
             Shared<u32> counts) const {
    FATHOM_UNROLL
    for (int i = 0; i < Batch{}; i += group_size) {
      if (whole) {
        count_group(bucket[i], bucket[i + 1], bucket[i + 2], bucket[i + 3], counts, [](int, u32) {});
      } else {
        FATHOM_UNROLL
        for (int j = i; j < i + group_size; ++j)
          if (part.contains(part.first + place_in_tile(block, threads_per_block, first + j)))
            counts.atomic_add(bucket[j], 1);
      }
    }
  }
};

}  // namespace fathom
