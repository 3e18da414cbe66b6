// SPDX-License-Identifier: Apache-2.0
// The first pass of a radix sort over keys alone.
#pragma once

#include <fathom/algorithms/block/radix/rank_in_any_order.h>
#include <fathom/algorithms/sort/radix/onesweep/split_by_digit.h>

namespace fathom {

/// SplitByDigit that leaves elements of a digit in any order: for a first pass over keys of which nothing but
/// the sorted bits matters (DigitSplits::only_keys_matter).
template <class Element, class Count, class Threads = Number, class Elements = Number, class Bits = Number>
struct SplitInAnyOrder : SplitByDigit<Element, Count, Threads, Elements, Bits, DigitCounts> {
  static constexpr const char* header = "fathom/algorithms/sort/radix/onesweep/split_in_any_order.h";
};

}  // namespace fathom
