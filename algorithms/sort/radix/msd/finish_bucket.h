// SPDX-License-Identifier: Apache-2.0
// How a block sorts a bucket that it has loaded.
#pragma once

#include <fathom/algorithms/block/radix_sort.h>

namespace fathom {

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
