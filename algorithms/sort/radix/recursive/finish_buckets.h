// SPDX-License-Identifier: Apache-2.0
// The end of a level of a recursive radix sort: blocks sort the buckets that fit in shared memory.
#pragma once

#include <fathom/algorithms/block/radix/radix_sort.h>
#include <fathom/algorithms/sort/distribution/splitter/buckets.h>

namespace fathom {

/// Sorts each of a level's buckets of at most threads × elements keys by the digits that are left, from
/// `input` to `output`, which may be the same. A fixed grid, whose blocks take one bucket after another:
/// deep levels may have many buckets, and seldom have any.
template <class Key, class Threads = Number, class Elements = Number, class Bits = Number>
struct FinishBuckets {
  static constexpr const char* header = "fathom/algorithms/sort/radix/recursive/finish_buckets.h";

  Span<const Key> input;
  Span<Key> output;
  PartBounds parents;
  Span<const u32> parent_count;
  Span<const u64> ends;  ///< of each parent's buckets, `ways` per parent
  int ways;
  BitRange rest;
  Threads threads_per_block;  ///< at least 2^bits
  Elements elements_per_thread;
  Bits bits;

  static int shared_memory(int threads, int elements, int bits) {
    return BlockRadixSort<Key, Threads, Elements>::shared_memory(threads, elements, bits) +
           shared_bytes<Index>(2);
  }

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const Index buckets = Index(parent_count.load(0)) * ways;
    BlockRadixSort<Key, Threads, Elements> sort(block, threads_per_block, elements_per_thread, bits);
    const auto bounds = block.template shared<Index>(2);
    FATHOM_NO_UNROLL
    for (Index i = block.index(); i < buckets; i += block.blocks()) {
      if (block.thread() == 0) {
        bounds.store(0, i % ways == 0 ? parents.begin(i / ways) : Index(ends.load(i - 1)));
        bounds.store(1, Index(ends.load(i)));
      }
      block.barrier();
      const Index begin = bounds.load(0), count = bounds.load(1) - begin;
      if (count > 0 && count <= threads_per_block * elements_per_thread) {
        sort.load(input.from(begin), int(count));
        sort.sort_by(block, rest, bits);
        sort.store(block, output.from(begin), [](const auto&, int at) { return Index(at); });
      }
      block.barrier();
    }
  }
};

}  // namespace fathom
