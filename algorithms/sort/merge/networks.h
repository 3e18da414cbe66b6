// Compare-exchange networks on a thread's registers. Every index is a constant once the loops are unrolled.
#pragma once

#include <fathom/device/contract/contract.h>

namespace fathom {

inline constexpr int log2_most_elements = 6;  ///< a thread holds at most 64 elements

/// Whether Batcher's odd-even merge sort compares elements a and a + k when it merges sorted runs of p
/// (Knuth, Algorithm 5.2.2M, for any number of elements).
FATHOM_DEVICE
constexpr bool is_comparator(int a, int p, int k) {
  const int offset = a - k % p;
  return offset >= 0 && offset / k % 2 == 0 && a / (2 * p) == (a + k) / (2 * p);
}

/// Sorts `count` elements, in about ¼·count·log²(count) comparators. Not stable.
///
/// The loops' bounds must not depend on each other. Otherwise the compiler unrolls the outer ones too late to
/// see that every index is a constant, and puts the keys into local memory.
template <class Key, class Count, class LessThan>
FATHOM_DEVICE
void odd_even_merge_sort(Registers<Key, Count>& keys, Count count, LessThan less) {
  FATHOM_UNROLL
  for (int log_p = 0; log_p < log2_most_elements; ++log_p) {
    FATHOM_UNROLL
    for (int back = 0; back < log2_most_elements; ++back) {
      FATHOM_UNROLL
      for (int a = 0; a < count; ++a) {
        const int p = 1 << log_p, k = p >> back;
        if (k > 0 && a + k < count && is_comparator(a, p, k)) compare_exchange(keys[a], keys[a + k], less);
      }
    }
  }
}

/// Sorts `count` elements that first fall and then rise, by half cleaners of the next power of two: elements
/// beyond the end count as larger than all others, keep their places, and so need no comparators.
template <class Key, class Count, class LessThan>
FATHOM_DEVICE
void bitonic_merge(Registers<Key, Count>& keys, Count count, LessThan less) {
  FATHOM_UNROLL
  for (int log_k = log2_most_elements - 1; log_k >= 0; --log_k) {
    FATHOM_UNROLL
    for (int a = 0; a < count; ++a) {
      const int k = 1 << log_k;
      if (a + k < count && (a & k) == 0) compare_exchange(keys[a], keys[a + k], less);
    }
  }
}

}  // namespace fathom
