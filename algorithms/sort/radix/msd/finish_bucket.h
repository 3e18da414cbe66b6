// SPDX-License-Identifier: Apache-2.0
// This has what kernels share whose blocks sort buckets.
#pragma once

#include <fathom/algorithms/block/radix/radix_sort.h>

namespace fathom {

/// A block's shared memory for a bucket, whether it is sorted by counting or by digits.
template <class Element, class Threads, class Elements>
struct BucketSpace {
  using Sort = BlockRadixSort<Element, Threads, Elements>;

  static constexpr int bytes(int threads, int elements, int bits) {
    return shared_bytes<u32>(words(threads, elements, bits)) +
           Sort::shared_memory_beside_rows(threads, elements);
  }
  /// Returns the rows of the BlockRadixSort, which come first in it.
  template <class Block>
  FATHOM_DEVICE
  static DigitRows rows(Block& block, Threads threads, Elements elements, int bits) {
    return {block.template shared<u32>(words(threads, elements, bits)), 1 << bits};
  }

 private:
  FATHOM_DEVICE
  static constexpr int words(int threads, int elements, int bits) {
    return max(DigitRows::words_of(threads, 1 << bits),
               BlockValueSort<KeyOf<Element>, Threads, Elements>::words(threads, elements));
  }
};

/// Returns how many first bits, one at least, the keys of a bucket must have in common for it to be sorted by
/// counting.
template <class Element>
constexpr int least_common_bits(int threads, int elements) {
  if constexpr (has_values<Element>)
    return BlockRecordSort<Element, Number, Number>::least_common_bits(threads, elements);
  else
    return 1;
}

/// Returns for how many resident blocks the compiler is to leave registers: for as many as an sm_90 has
/// shared memory for, and registers, if a thread has its elements and some twenty more, and with keys alone
/// their ranks. (Records are ranked once their values are in shared memory, whose registers the ranks take.)
/// 0, which sets no bound, if it has none even for one (data/h200-radix-sorts/bucket-kernels.txt, 3 and 5).
/// Architectures with less shared memory have fewer resident, and spill registers in vain.
template <class Element, class Threads, class Elements>
constexpr int least_resident_buckets() {
  constexpr int digit_bits = 8;
  const int words = int(sizeof(Element)) / 4 + (has_values<Element> ? 0 : 1);
  return min(blocks_with_registers(Threads{}, Elements{} * words + 20),
             blocks_with_shared_memory(
                 BucketSpace<Element, Threads, Elements>::bytes(Threads{}, Elements{}, digit_bits)));
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
