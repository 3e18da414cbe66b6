// SPDX-License-Identifier: Apache-2.0
// The histograms of all digits of a list of keys, in one pass over it.
#pragma once

#include <fathom/algorithms/block/digits.h>
#include <fathom/algorithms/block/load.h>
#include <fathom/algorithms/block/store.h>

namespace fathom {

/// counts[p·2^bits + b] += the keys whose p-th digit of `bits` bits, from the lowest one in the range, is b.
/// Any number of blocks, each with an equal share of the keys.
///
/// A block has several counters for each digit, for lanes to use in turn: fewer of a warp's lanes meet in one
/// bank, and where keys are equal, at one counter.
template <class Key, class Threads = Number, class Bits = Number, class Digits = Number>
struct DigitHistograms {
  static constexpr const char* header = "fathom/algorithms/sort/radix/onesweep/digit_histograms.h";

  Span<const Key> keys;
  Span<u64> counts;
  Span<const u32> is_wanted;  ///< nothing is done if it is 0
  BitRange range;
  Index n;
  Threads threads_per_block;
  Bits bits;
  Digits digits;  ///< range.digits(bits)

  static constexpr int in_flight = 8;  ///< keys that a thread loads at a time

  /// How many copies of each counter there are, a power of two: as many as fit in 64 KiB, up to 16.
  FATHOM_DEVICE
  static constexpr int copies(int counters) {
    int copies = 16;
    while (copies > 1 && copies * counters > 16384) copies /= 2;
    return copies;
  }
  static int shared_memory(int bits, int digits) {
    const int counters = digits << bits;
    return shared_bytes<u32>(counters * copies(counters));
  }

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    if (is_wanted.load(0) == 0) return;
    const auto counted = make_counters(block);
    count_all(block, counted);
    add_to_counts(block, counted);
  }

 protected:
  /// Those of the block, all 0.
  template <class Block>
  FATHOM_DEVICE
  Shared<u32> make_counters(Block& block) const {
    const int counters = digits << bits, copies_of_each = copies(digits << bits);
    const auto counted = block.template shared<u32>(counters * copies_of_each);
    fill_shared(block, threads_per_block, counted, counters * copies_of_each, 0u);
    block.barrier();
    return counted;
  }
  /// The copies of the counters that a lane uses.
  template <class Block>
  FATHOM_DEVICE
  Shared<u32> own_copies(Block& block, Shared<u32> counted) const {
    return counted.from(block.lane() % copies(digits << bits));
  }
  template <class Block>
  FATHOM_DEVICE
  void count_all(Block& block, Shared<u32> counted) const {
    const auto own = own_copies(block, counted);
    for_each_in_grid<in_flight>(
        block, threads_per_block, keys, n,
        [&](const auto& loaded) {
          FATHOM_UNROLL
          for (int i = 0; i < in_flight; ++i) count(loaded[i], own);
        },
        [&](const Key& key) { count(key, own); });
  }
  FATHOM_DEVICE
  void count(const Key& key, Shared<u32> counted) const {
    FATHOM_UNROLL
    for (int p = 0; p < digits; ++p)
      counted.atomic_add(((p << bits) + range.digit(p, bits).of(key)) * copies(digits << bits), 1u);
  }
  template <class Block>
  FATHOM_DEVICE
  void add_to_counts(Block& block, Shared<u32> counted) const {
    const int counters = digits << bits, copies_of_each = copies(digits << bits);
    block.barrier();
    for (int counter = block.thread(); counter < counters; counter += threads_per_block) {
      u32 sum = 0;
      for (int i = 0; i < copies_of_each; ++i)  // each lane begins with another copy, in another bank
        sum += counted.load(counter * copies_of_each + (block.lane() + i) % copies_of_each);
      if (sum > 0) counts.atomic_add_relaxed(counter, u64(sum));
    }
  }
};

}  // namespace fathom
