// SPDX-License-Identifier: Apache-2.0
// Compare-exchange networks on a thread's registers. Every index is a constant once the loops are unrolled.
#pragma once

#include <fathom/device/contract/contract.h>

namespace fathom {

inline constexpr int log2_most_elements = 6;  ///< a thread holds at most 64 elements

/// True if Batcher's odd-even merge sort compares elements a and a + k when it merges sorted runs of p
/// (knuth1998, Algorithm 5.2.2M, for any number of elements).
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

/// Merges two ascending lists of `count` elements, a power of two, by the last phase of that sort:
/// count·log₂(count) + 1 comparators, where the bitonic merge has count·log₂(2·count). `low` gets the smaller
/// half, `high` the greater one.
template <class Key, class Count, class LessThan>
FATHOM_DEVICE
void odd_even_merge(Registers<Key, Count>& low, Registers<Key, Count>& high, int count, LessThan less) {
  const auto at = [&](int i) -> Key& { return i < count ? low[i] : high[i - count]; };
  FATHOM_UNROLL
  for (int back = 0; back < log2_most_elements; ++back) {
    FATHOM_UNROLL
    for (int a = 0; a < 2 * count; ++a) {
      const int k = count >> back;
      if (k > 0 && a + k < 2 * count && is_comparator(a, count, k)) compare_exchange(at(a), at(a + k), less);
    }
  }
}

/// Sorts `count` elements that first fall and then rise, by half cleaners of the next power of two: elements
/// beyond the end count as larger than all others, keep their places, and so need no comparators.
template <class Keys, class Count, class LessThan>
FATHOM_DEVICE
void bitonic_merge(Keys& keys, Count count, LessThan less) {
  FATHOM_UNROLL
  for (int log_k = log2_most_elements - 1; log_k >= 0; --log_k) {
    FATHOM_UNROLL
    for (int a = 0; a < count; ++a) {
      const int k = 1 << log_k;
      if (a + k < count && (a & k) == 0) compare_exchange(keys[a], keys[a + k], less);
    }
  }
}

/// Compares elements that are k apart, k a power of two: of a bitonic sequence of 2k elements it makes two of
/// k, and none of the first is larger than any of the second.
template <class Key, class Count, class LessThan>
FATHOM_DEVICE
void half_cleaner(Registers<Key, Count>& keys, Count count, int k, LessThan less) {
  FATHOM_UNROLL
  for (int a = 0; a < count; ++a)
    if (a + k < count && (a & k) == 0) compare_exchange(keys[a], keys[a + k], less);
}

/// The last `steps` half cleaners of a bitonic merge, with k = 2^(steps − 1) … 1.
template <class Key, class Count, class LessThan>
FATHOM_DEVICE
void half_cleaners(Registers<Key, Count>& keys, Count count, int steps, LessThan less) {
  FATHOM_UNROLL
  for (int log_k = log2_most_elements - 1; log_k >= 0; --log_k)
    if (log_k < steps) half_cleaner(keys, count, 1 << log_k, less);
}

/// Compares each element with its mirror image. Of two ascending halves it makes two bitonic ones, and none
/// of the first is larger than any of the second: the first step of a bitonic merge whose second half need
/// not be reversed.
template <class Key, class Count, class LessThan>
FATHOM_DEVICE
void compare_mirrored(Registers<Key, Count>& keys, Count count, LessThan less) {
  FATHOM_UNROLL
  for (int a = 0; a < count / 2; ++a) compare_exchange(keys[a], keys[count - 1 - a], less);
}

/// Batcher's bitonic sort of `count` elements, a power of two. All comparators put the smaller element first.
template <class Key, class Count, class LessThan>
FATHOM_DEVICE
void bitonic_sort(Registers<Key, Count>& keys, Count count, LessThan less) {
  FATHOM_UNROLL
  for (int log_size = 1; log_size <= log2_most_elements; ++log_size) {
    FATHOM_UNROLL
    for (int step = 0; step < log2_most_elements; ++step) {
      FATHOM_UNROLL
      for (int a = 0; a < count; ++a) {
        const int size = 1 << log_size, k = size / 2 >> step;
        const int b = step == 0 ? a ^ (size - 1) : a + k;
        if (k > 0 && (a & k) == 0 && b < count) compare_exchange(keys[a], keys[b], less);
      }
    }
  }
}

}  // namespace fathom
