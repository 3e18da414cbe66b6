// SPDX-License-Identifier: Apache-2.0
// The end of a radix sort from the most significant digit: blocks sort buckets in shared memory.
#pragma once

#include <fathom/algorithms/sort/radix/msd/finish_bucket.h>
#include <fathom/algorithms/sort/radix/msd/skewed_keys.h>

namespace fathom {

/// Sorts each bucket in place, one per block, by the bits that its keys do not have in common: by counting
/// where keys are spread evenly and all their bits matter, by digits otherwise. Large buckets are not sorted:
/// the first blocks put back their elements, which others have sorted.
template <class Element, class Threads = Number, class Elements = Number, class Bits = Number>
struct SortBuckets {
  static constexpr const char* header = "fathom/algorithms/sort/radix/msd/sort_buckets.h";

  ListOf<Element> list;
  Span<const u32> buckets;  ///< where each begins, and the end of the last
  SkewedKeys skewed;        ///< SkewedKeys::all: there are no buckets
  ConstListOf<Element> gathered;
  BitRange range;             ///< without the prefix; may be empty
  Threads threads_per_block;  ///< at least 2^bits
  Elements elements_per_thread;
  Bits bits;
  bool by_all_bits;  ///< keys that agree in `range` and the prefix are equal

  using Space = BucketSpace<Element, Threads, Elements>;

  static int shared_memory(int threads, int elements, int bits) {
    return Space::bytes(threads, elements, bits);
  }
  static constexpr int least_resident_blocks() {
    return least_resident_buckets<Element, Threads, Elements>();
  }

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const u32 which = skewed.which.load(0);
    if (which == SkewedKeys::all) return;
    if (which == SkewedKeys::some) put_back(block);
    const Index first = Index(buckets.load(block.index()));
    const int count = int(Index(buckets.load(block.index() + 1)) - first);
    const bool is_large = count > threads_per_block * elements_per_thread;
    if (count < 2 || is_large || range.begin == range.end) return;
    const ListOf<Element> bucket = list.from(first);
    BlockRadixSort<Element, Threads, Elements> sort(
        block, threads_per_block, elements_per_thread,
        Space::rows(block, threads_per_block, elements_per_thread, bits));
    const auto load = [&](int at) { return bucket.load(at); };
    if (by_all_bits && sort.by_counting().sort(block, count, load, bucket, range.end)) return;
    sort.load(read_only(bucket), count);
    finish_bucket<Element>(block, sort, bucket, range, bits);
  }

 private:
  template <class Block>
  FATHOM_DEVICE
  void put_back(Block& block) const {
    const Index elements = skewed.elements();
    const Index share =
        max(Index(threads_per_block * elements_per_thread), ceil_div(elements, block.blocks()));
    const Index begin = block.index() * share;
    skewed.for_each(block, threads_per_block, begin, min(begin + share, elements), [&](Index i, Index at) {
      keys_of(list).store(at, keys_of(gathered).load(i));
      if constexpr (has_values<Element>) list.values.store(at, gathered.values.load(i));
    });
  }
};

}  // namespace fathom
