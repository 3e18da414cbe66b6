// SPDX-License-Identifier: Apache-2.0
// How many keys begin with each bit pattern.
#pragma once

#include <fathom/algorithms/block/digits.h>
#include <fathom/algorithms/block/load.h>
#include <fathom/algorithms/block/store.h>

namespace fathom {

/// Adds to the count of v the keys whose digit is v, a digit of 1 to 16 bits. Any number of blocks, each with
/// an equal share of the keys.
///
/// A block has 16 bits for a count, so that 2^16 of them fit in shared memory. They suffice where no bucket
/// is too large for a block's tile, which has fewer than 2^16 elements. A count that overflows loses 2^16,
/// and may add one to its neighbour: then the sum of all counts is less than n, and PlanBuckets sends all
/// keys by all digits, also where few of them could be gathered.
template <class Key, class Threads = Number, class Bits = Number>
struct CountPrefixes {
  static constexpr const char* header = "fathom/algorithms/sort/radix/msd/count_prefixes.h";

  Span<const Key> keys;
  Span<u64> counts;  ///< [v / 2], of 32 bits each: that of an even v in the lower ones
  Digit prefix;      ///< of `bits` bits
  Index n;
  Threads threads_per_block;
  Bits bits;

  static constexpr int in_flight = 8;           ///< keys that a thread loads at a time
  static constexpr u32 most_of_block = 0xffff;  ///< keys of one bucket that a block can count

  static int shared_memory(int bits) { return shared_bytes<u32>(1 << bits >> 1); }

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const int words = 1 << bits >> 1;
    const auto counted = block.template shared<u32>(words);
    fill_shared(block, threads_per_block, counted, words, 0u);
    block.barrier();
    for_each_in_grid<in_flight>(
        block, threads_per_block, keys, n, [&](const auto& loaded) { count(block, loaded, counted); },
        [&](const Key& key) { add(counted, prefix.of(key), 1); });
    block.barrier();
    for (int i = block.thread(); i < words; i += threads_per_block)
      if (const u32 here = counted.load(i); here > 0)
        counts.atomic_add_relaxed(i, u64(Counts::get(here, 1)) << 32 | Counts::get(here, 0));
  }

 private:
  using Counts = PackedFields<16>;
  static constexpr int many_lanes = 8;  ///< of a warp

  FATHOM_DEVICE
  static void add(Shared<u32> counted, int bin, u32 keys) {
    counted.atomic_add(bin >> 1, keys * Counts::one(bin & 1));
  }

  /// Atomics on one counter take their turns. So where many lanes agree with the first one, it counts them.
  template <class Block>
  FATHOM_DEVICE
  void count(Block& block, const Registers<Key, Constant<in_flight>>& loaded, Shared<u32> counted) const {
    const auto lanes_that_agree = [&](int bin) { return block.ballot(bin == block.shuffle(bin, 0)); };
    const bool often_agree = count_ones(lanes_that_agree(prefix.of(loaded[0]))) >= many_lanes;
    FATHOM_UNROLL
    for (int i = 0; i < in_flight; ++i) {
      const int bin = prefix.of(loaded[i]);
      const u32 agreeing = often_agree ? lanes_that_agree(bin) : 0;
      if (block.lane() == 0 && often_agree)
        add(counted, bin, u32(count_ones(agreeing)));
      else if ((agreeing >> block.lane() & 1) == 0)
        add(counted, bin, 1);
    }
  }
};

}  // namespace fathom
