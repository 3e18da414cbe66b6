// SPDX-License-Identifier: Apache-2.0
// The second step of a level: which bucket each key belongs to, and how many are in each.
#pragma once

#include <fathom/algorithms/block/store.h>
#include <fathom/algorithms/sort/distribution/splitter/tile_in_registers.h>

namespace fathom {

/// Writes each key's bucket and each tile's counts, and adds up the buckets' sizes. One block per tile.
///
/// A key's bucket is found in a binary tree of the splitters, without branches, all keys of a thread one
/// level at a time. The tree is stored level by level: at the upper levels, which have no more nodes than
/// there are banks, the lanes of a warp have no conflicts. A sorted array would have its first nodes in one
/// bank.
template <class Key, class LessThan, class Threads = Number, class Elements = Number>
struct ClassifyKeys {
  static constexpr const char* header = "fathom/algorithms/sort/distribution/splitter/classify_keys.h";

  Span<const Key> keys;
  TileList tiles;
  Span<const Key> splitters;
  Span<const EqualSamples> equal;
  Span<const Split> splits;
  Span<u8> buckets;      ///< of each key
  Span<u64> counters;    ///< of each parent's buckets
  Span<u16> histograms;  ///< of each tile, `ways` counts
  int ways;
  int log_samples;  ///< per bucket
  int nodes;        ///< ≥ ways, a power of two
  Threads threads_per_block;
  Elements elements_per_thread;

  static int shared_memory(int ways, int nodes) {
    return shared_bytes<Key>(nodes) + shared_bytes<Key>(ways) + shared_bytes<EqualSamples>(ways) +
           shared_bytes<u32>(ways);
  }

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const TilePart part = tiles.tile(block.index());
    if (part.begin >= part.end) return;
    Registers<Key, Elements> key(elements_per_thread);
    load_tile(block, keys, part, threads_per_block, elements_per_thread, key);

    const auto tree = block.template shared<Key>(nodes);
    const auto sorted = block.template shared<Key>(ways);
    const auto equal_to = block.template shared<EqualSamples>(ways);
    const auto counts = block.template shared<u32>(ways);
    const Split split = splits.load(part.parent);
    int depth = 0;
    while (1 << depth < split.buckets) ++depth;
    fill_tree(block, part.parent * ways, split, depth, tree, sorted, equal_to);
    fill_shared(block, threads_per_block, counts, ways, 0u);
    block.barrier();

    const bool whole = is_whole(part, threads_per_block, elements_per_thread);
    FATHOM_UNROLL
    for (int first = 0; first < elements_per_thread; first += Batch{}) {
      Registers<int, Batch> bucket(Batch{});
      find_buckets(key, first, split, depth, tree, bucket);
      if (split.ties != 0) break_ties(block, part, split, key, first, sorted, equal_to, bucket);
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
  /// Nodes without a splitter have the last one: a key beyond it is given the last bucket afterwards.
  template <class Block>
  FATHOM_DEVICE
  void fill_tree(Block& block, Index first, const Split& split, int depth, Shared<Key> tree,
                 Shared<Key> sorted, Shared<EqualSamples> equal_to) const {
    for (int node = block.thread(); node < (1 << depth) - 1; node += threads_per_block) {
      int level = 0;
      while ((2 << level) - 1 <= node) ++level;
      const int in_level = node - ((1 << level) - 1);
      const int in_order = ((2 * in_level + 1) << (depth - 1 - level)) - 1;
      tree.store(node, splitters.load(first + min(in_order, split.buckets - 2)));
    }
    if (split.ties != 0)
      for (int i = block.thread(); i < split.buckets - 1; i += threads_per_block) {
        sorted.store(i, splitters.load(first + i));
        equal_to.store(i, equal.load(first + i));
      }
  }

  /// Nodes are numbered from 0, the children of i are 2i + 1 and 2i + 2: a selection and a multiplication and
  /// addition, while 2i and 2i + 1 become three instructions.
  FATHOM_DEVICE
  void find_buckets(const Registers<Key, Elements>& key, int first, const Split& split, int depth,
                    Shared<Key> tree, Registers<int, Batch>& bucket) const {
    FATHOM_UNROLL
    for (int i = 0; i < Batch{}; ++i) bucket[i] = 0;
    FATHOM_NO_UNROLL
    for (int level = 0; level < depth; ++level) {
      FATHOM_UNROLL
      for (int i = 0; i < Batch{}; ++i)
        bucket[i] = 2 * bucket[i] + (compare(tree.load(bucket[i]), key[first + i], LessThan{}) ? 2 : 1);
    }
    FATHOM_UNROLL
    for (int i = 0; i < Batch{}; ++i) bucket[i] = min(bucket[i] - ((1 << depth) - 1), split.buckets - 1);
  }

  /// A key that equals a splitter may go to any bucket beside one of its equals. It takes a place among the
  /// equal samples, and goes where the sample in that place would.
  template <class Block>
  FATHOM_DEVICE
  void break_ties(Block& block, const TilePart& part, const Split& split, const Registers<Key, Elements>& key,
                  int first, Shared<Key> sorted, Shared<EqualSamples> equal_to,
                  Registers<int, Batch>& bucket) const {
    FATHOM_UNROLL
    for (int i = 0; i < Batch{}; ++i) {
      const int least = bucket[i];
      if (least < split.buckets - 1 && !compare(key[first + i], sorted.load(least), LessThan{}))
        bucket[i] =
            equal_to.load(least).place(part.first + place_in_tile(block, threads_per_block, first + i)) >>
            log_samples;
    }
  }

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
