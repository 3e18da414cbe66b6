// SPDX-License-Identifier: Apache-2.0
// Finds a key's bucket among splitters.
#pragma once

#include <fathom/algorithms/sort/distribution/splitter/classify_keys.h>

namespace fathom {

/// A key's bucket is found in a binary tree of the splitters, without branches, all keys of a thread one
/// level at a time. The tree is stored level by level: at the upper levels, which have no more nodes than
/// there are banks, the lanes of a warp have no conflicts. A sorted array would have its first nodes in one
/// bank.
template <class Key, class LessThan>
struct SplitterTree {
  static constexpr const char* header = "fathom/algorithms/sort/distribution/splitter/splitter_tree.h";

  Span<const Key> splitters;
  Span<const EqualSamples> equal;
  Span<const Split> splits;
  int ways;
  int log_samples;  ///< per bucket
  int nodes;        ///< ≥ ways, a power of two

  static int shared_memory(int ways, int nodes) {
    return shared_bytes<Key>(nodes) + shared_bytes<Key>(ways) + shared_bytes<EqualSamples>(ways);
  }

  struct InBlock {
    TilePart part;
    Split split;
    int depth;
    int log_samples;
    Shared<Key> tree;
    Shared<Key> sorted;
    Shared<EqualSamples> equal_to;

    /// The buckets of a batch of keys, from key `first` on.
    template <class Block, class Threads, class Elements>
    FATHOM_DEVICE
    void find_buckets(Block& block, Threads threads, const Registers<Key, Elements>& key, int first,
                      Registers<int, Batch>& bucket) const {
      descend(key, first, bucket);
      if (split.ties != 0) break_ties(block, threads, key, first, bucket);
    }

   private:
    /// Nodes are numbered from 0, the children of i are 2i + 1 and 2i + 2: a selection and a multiplication
    /// and addition, while 2i and 2i + 1 become three instructions.
    template <class Elements>
    FATHOM_DEVICE
    void descend(const Registers<Key, Elements>& key, int first, Registers<int, Batch>& bucket) const {
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
    template <class Block, class Threads, class Elements>
    FATHOM_DEVICE
    void break_ties(Block& block, Threads threads, const Registers<Key, Elements>& key, int first,
                    Registers<int, Batch>& bucket) const {
      FATHOM_UNROLL
      for (int i = 0; i < Batch{}; ++i) {
        const int least = bucket[i];
        if (least < split.buckets - 1 && !compare(key[first + i], sorted.load(least), LessThan{}))
          bucket[i] = equal_to.load(least).place(part.first + place_in_tile(block, threads, first + i)) >>
                      log_samples;
      }
    }
  };

  /// Called by all threads; a barrier must follow.
  template <class Block, class Threads>
  FATHOM_DEVICE
  InBlock in_block(Block& block, Threads threads, const TilePart& part) const {
    const auto tree = block.template shared<Key>(nodes);
    const auto sorted = block.template shared<Key>(ways);
    const auto equal_to = block.template shared<EqualSamples>(ways);
    const Split split = splits.load(part.parent);
    int depth = 0;
    while (1 << depth < split.buckets) ++depth;
    const InBlock made{part, split, depth, log_samples, tree, sorted, equal_to};
    fill(block, threads, part.parent * ways, made);
    return made;
  }

 private:
  /// Nodes without a splitter have the last one: a key beyond it is given the last bucket afterwards.
  template <class Block, class Threads>
  FATHOM_DEVICE
  void fill(Block& block, Threads threads, Index first, const InBlock& made) const {
    const int depth = made.depth, buckets = made.split.buckets;
    for (int node = block.thread(); node < (1 << depth) - 1; node += threads) {
      int level = 0;
      while ((2 << level) - 1 <= node) ++level;
      const int in_level = node - ((1 << level) - 1);
      const int in_order = ((2 * in_level + 1) << (depth - 1 - level)) - 1;
      made.tree.store(node, splitters.load(first + min(in_order, buckets - 2)));
    }
    if (made.split.ties != 0)
      for (int i = block.thread(); i < buckets - 1; i += threads) {
        made.sorted.store(i, splitters.load(first + i));
        made.equal_to.store(i, equal.load(first + i));
      }
  }
};

}  // namespace fathom
