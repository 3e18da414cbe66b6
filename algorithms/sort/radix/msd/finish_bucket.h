// SPDX-License-Identifier: Apache-2.0
// How a block sorts a bucket that it has loaded.
#pragma once

#include <fathom/algorithms/block/radix_sort.h>

namespace fathom {

/// A block's shared memory for a bucket: of keys alone, for a BlockValueSort as well as a BlockRadixSort.
template <class Element, class Threads, class Elements>
struct BucketSpace {
  using Sort = BlockRadixSort<Element, Threads, Elements>;

  static int bytes(int threads, int elements, int bits) {
    return shared_bytes<u32>(words(threads, elements, bits)) +
           Sort::shared_memory_beside_rows(threads, elements);
  }
  /// Returns the rows of the BlockRadixSort, which come first in it.
  template <class Block>
  FATHOM_DEVICE
  static DigitRows rows(Block& block, Threads threads, Elements elements, int bits) {
    if constexpr (has_values<Element>)
      return DigitRows::make(block, 1 << bits);
    else
      return {block.template shared<u32>(words(threads, elements, bits)), 1 << bits};
  }

 private:
  FATHOM_DEVICE
  static constexpr int words(int threads, int elements, int bits) {
    const int of_rows = threads / DigitRows::lanes << bits;
    if constexpr (has_values<Element>)
      return of_rows;
    else
      return max(of_rows, BlockValueSort<Element, Threads, Elements>::words(threads, elements));
  }
};

/// Registers of keys alone: a thread has its keys, their ranks, and some twenty more. Of records the
/// compiler decides.
template <class Element, class Threads, class Elements>
constexpr int least_resident_buckets() {
  if constexpr (has_values<Element>)
    return 0;
  else
    return blocks_with_registers(Threads{}, Elements{} * (int(sizeof(Element)) / 4 + 1) + 20);
}

inline constexpr int most_ties = 16;  ///< keys that look at each other

/// Sorts the elements of a BlockRadixSort by the bits of `range`, one at least, in digits of `bits` bits, and
/// writes them to the beginning of a list. Of most distributions two digits tell nearly all keys of a bucket
/// apart; those that they do not look at each other for their order. If there are many such keys together,
/// the bucket is sorted by all its digits.
template <class Element, class Threads, class Elements, class Block, class Bits>
FATHOM_DEVICE
void finish_bucket(Block& block, BlockRadixSort<Element, Threads, Elements>& sort, ListOf<Element> bucket,
                   const BitRange& range, Bits bits) {
  const BitRange highest{max(range.begin, range.end - 2 * bits), range.end};
  sort.sort_by(block, highest, bits);
  if (highest.begin == range.begin) {
    sort.store(block, bucket, [](const auto&, int at) { return Index(at); });
  } else if (!sort.has_group_above(block, most_ties, highest)) {
    sort.store(block, bucket,
               [&](const auto& key, int at) { return Index(sort.place_by(key, at, highest, range)); });
  } else {
    sort.reload();
    sort.sort_by(block, range, bits);
    sort.store(block, bucket, [](const auto&, int at) { return Index(at); });
  }
}

}  // namespace fathom
