// SPDX-License-Identifier: Apache-2.0
// How many keys begin with each bit pattern.
#pragma once

#include <fathom/algorithms/block/digits.h>
#include <fathom/algorithms/block/load.h>
#include <fathom/algorithms/block/store.h>

namespace fathom {

/// counts[v] += the keys whose digit is v, a digit of up to 15 bits. Any number of blocks, each with an equal
/// share of the keys.
template <class Key, class Threads = Number, class Bits = Number>
struct CountPrefixes {
  static constexpr const char* header = "fathom/algorithms/sort/radix/msd/count_prefixes.h";

  Span<const Key> keys;
  Span<u32> counts;
  Digit prefix;  ///< of `bits` bits
  Index n;
  Threads threads_per_block;
  Bits bits;

  static constexpr int in_flight = 8;  ///< keys that a thread loads at a time

  static int shared_memory(int bits) { return shared_bytes<u32>(1 << bits); }

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const auto counted = block.template shared<u32>(1 << bits);
    fill_shared(block, threads_per_block, counted, 1 << bits, 0u);
    block.barrier();
    for_each_in_grid<in_flight>(
        block, threads_per_block, keys, n, [&](const auto& loaded) { count(block, loaded, counted); },
        [&](const Key& key) { counted.atomic_add(prefix.of(key), 1u); });
    block.barrier();
    for (int i = block.thread(); i < 1 << bits; i += threads_per_block)
      if (const u32 here = counted.load(i); here > 0) counts.atomic_add_relaxed(i, here);
  }

 private:
  static constexpr int many_lanes = 8;  ///< of a warp

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
        counted.atomic_add(bin, u32(count_ones(agreeing)));
      else if ((agreeing >> block.lane() & 1) == 0)
        counted.atomic_add(bin, 1u);
    }
  }
};

}  // namespace fathom
