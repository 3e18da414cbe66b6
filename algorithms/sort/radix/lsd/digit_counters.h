// SPDX-License-Identifier: Apache-2.0
// Counters of all digits for each thread of a block, and the ranks that follow from them.
#pragma once

#include <fathom/algorithms/block/scan.h>
#include <fathom/algorithms/sort/radix/key_bits.h>

namespace fathom {

/// Every thread counts its own keys of a tile in packed counters, one for each digit. One scan of all of them
/// together, over digits first and threads second (the source's multi-scan), leaves in each the rank of the
/// thread's first key with this digit. Counters have 16 bits, since tiles have more than 255 keys; the source
/// scans fewer keys at a time in 8.
template <class Threads, class DigitBits>
struct DigitCounters {
  using Counters = PackedCounters<16>;

  Counters counters;
  Threads threads_per_block;
  DigitBits digit_bits;

  static int shared_memory(int threads, int digit_bits) {
    return shared_bytes<u32>((words(digit_bits) + 1) * threads);
  }
  template <class Block>
  FATHOM_DEVICE
  static DigitCounters make(Block& block, Threads threads, DigitBits digit_bits) {
    return {{block.template shared<u32>((words(digit_bits) + 1) * threads)}, threads, digit_bits};
  }

  /// Words of a thread's counters.
  FATHOM_DEVICE
  static constexpr int words(int digit_bits) { return 1 << (digit_bits - 1); }

  FATHOM_DEVICE
  int word_of(int value, int thread) const {
    return (value & (words(digit_bits) - 1)) * threads_per_block + thread;
  }
  FATHOM_DEVICE
  int field_of(int value) const { return value >> (digit_bits - 1); }
  FATHOM_DEVICE
  int counter_of(int thread, int value) const {
    return int(counters.load(word_of(value, thread), field_of(value)));
  }

  /// Each rank becomes the element's digit, in the upper half, and its rank among the thread's equal digits.
  /// Elements behind the last one count as of the last digit, where they come last.
  template <class Element, class Elements, class DigitOfKey, class Block>
  FATHOM_DEVICE
  void count_digits(Block& block, const Registers<Element, Elements>& elements, Elements elements_per_thread,
                    const DigitOfKey& digit, int count, Registers<u32, Elements>& ranks) const {
    FATHOM_UNROLL
    for (int i = 0; i <= words(digit_bits); ++i)
      counters.words.store(i * threads_per_block + block.thread(), 0);
    FATHOM_UNROLL
    for (int i = 0; i < elements_per_thread; ++i) {
      const bool exists = block.thread() * elements_per_thread + i < count;
      const int value = exists ? digit.of(key_of(elements[i])) : (1 << digit_bits) - 1;
      ranks[i] = u32(value) << 16 | counters.increment(word_of(value, block.thread()), field_of(value));
    }
  }

  /// Exclusive, over all counters of the lower fields, then of the upper ones. Each thread adds up
  /// consecutive words; one word of zeros per thread makes their number odd, so that there are no bank
  /// conflicts.
  template <class Block>
  FATHOM_DEVICE
  void scan(Block& block, Shared<u32> sums) const {
    const int length = words(digit_bits) + 1;
    const auto mine = counters.words.from(block.thread() * length);
    u32 sum = 0;
    for (int i = 0; i < length; ++i) sum = Counters::add(sum, mine.load(i));
    const BlockPrefix<u32> place = thread_prefix_in_block(block, sum, sums, Plus{});
    u32 before = Counters::add(place.exclusive_prefix, place.aggregate << 16);
    for (int i = 0; i < length; ++i) {
      const u32 counted = mine.load(i);
      mine.store(i, before);
      before = Counters::add(before, counted);
    }
  }
};

}  // namespace fathom
