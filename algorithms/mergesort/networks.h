// Compare-exchange networks on a thread's registers. Every index is a constant once the loops are unrolled.
#pragma once

#include <fathom/device/contract.h>

namespace fathom {

template <class Key, class LessThan>
FATHOM_DEVICE
void compare_exchange(Key& a, Key& b, LessThan less) {
  const bool swap = less(b, a);
  const Key low = swap ? b : a;
  const Key high = swap ? a : b;
  a = low;
  b = high;
}

/// Whether Batcher's odd-even merge sort compares elements a and a + k while it merges sorted runs of p
/// (Knuth, Algorithm 5.2.2M, for any number of elements).
FATHOM_DEVICE
constexpr bool is_comparator(int a, int p, int k) {
  const int offset = a - k % p;
  return offset >= 0 && offset / k % 2 == 0 && a / (2 * p) == (a + k) / (2 * p);
}

/// Sorts `count` elements, in about ¼·count·log²(count) comparators. Not stable.
template <class Key, class Count, class LessThan>
FATHOM_DEVICE
void sort_registers(Registers<Key, Count>& keys, Count count, LessThan less) {
  FATHOM_UNROLL
  for (int p = 1; p < count; p *= 2) {
    FATHOM_UNROLL
    for (int k = p; k > 0; k /= 2) {
      FATHOM_UNROLL
      for (int a = 0; a + k < count; ++a)
        if (is_comparator(a, p, k)) compare_exchange(keys[a], keys[a + k], less);
    }
  }
}

/// Sorts `count` elements that first fall and then rise, by half cleaners of the next power of two: what
/// would lie beyond the end counts as larger than all, keeps its place, and so costs no comparator.
template <class Key, class Count, class LessThan>
FATHOM_DEVICE
void sort_valley(Registers<Key, Count>& keys, Count count, LessThan less) {
  FATHOM_UNROLL
  for (int k = 32; k > 0; k /= 2) {  // 64 elements at most
    FATHOM_UNROLL
    for (int a = 0; a + k < count; ++a)
      if ((a & k) == 0) compare_exchange(keys[a], keys[a + k], less);
  }
}

}  // namespace fathom
