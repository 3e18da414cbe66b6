// The passes that a radix sort from the most significant digit makes of skewed keys.
#pragma once

#include <fathom/algorithms/sort/radix/onesweep/split_by_digit.h>

namespace fathom {

/// SplitByDigit under another name: what its launches take, which is next to nothing for most inputs, is
/// counted apart.
template <class Element, class Count, class Threads = Number, class Elements = Number, class Bits = Number>
struct SplitIfSkewed : SplitByDigit<Element, Count, Threads, Elements, Bits> {
  static constexpr const char* header = "fathom/algorithms/sort/radix/msd/split_if_skewed.h";
};

}  // namespace fathom
