// SPDX-License-Identifier: Apache-2.0
// The first step of a radix sort's pass (merrill2010 §3): every block counts the digits of its share of keys.
#pragma once

#include <fathom/algorithms/block/load.h>
#include <fathom/algorithms/block/store.h>
#include <fathom/algorithms/sort/radix/key_bits.h>
#include <fathom/algorithms/sort/radix/lsd/tile_shares.h>

namespace fathom {

/// counts[digit · blocks + block] = the keys of the block's share with this digit. A thread counts in bytes
/// of shared memory of its own, four digits to a word, which are added up before one can overflow.
template <class Bits, class Threads = Number, class Elements = Number, class DigitBits = Number>
struct CountDigits {
  static constexpr const char* header = "fathom/algorithms/sort/radix/lsd/count_digits.h";

  using Counters = PackedCounters<8>;

  Span<const Bits> keys;
  Span<u64> counts;
  Index n;
  TileShares shares;
  DigitOfBits<Bits> digit;
  Threads threads_per_block;
  Elements elements_per_thread;
  DigitBits digit_bits;

  static int shared_memory(int threads, int digit_bits) {
    return shared_bytes<u32>(words(digit_bits) * threads) + shared_bytes<u64>(1 << digit_bits);
  }

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const int tile_size = threads_per_block * elements_per_thread;
    const int tiles_at_once = int(Counters::greatest) / elements_per_thread;
    const Counters counters{block.template shared<u32>(words(digit_bits) * threads_per_block)};
    const auto totals = block.template shared<u64>(1 << digit_bits);
    fill_shared(block, threads_per_block, totals, 1 << digit_bits, u64(0));

    const Index end = shares.end(block.index());
    for (Index tile = shares.begin(block.index()); tile < end; tile += tiles_at_once) {
      FATHOM_UNROLL
      for (int word = 0; word < words(digit_bits); ++word)
        counters.words.store(word * threads_per_block + block.thread(), 0);
      for (Index one = tile; one < min(tile + tiles_at_once, end); ++one)
        count_tile(block, counters, one * tile_size);
      block.barrier();
      add_up(block, counters, totals);
      block.barrier();
    }
    for (int i = block.thread(); i < 1 << digit_bits; i += threads_per_block)
      counts.store(i * block.blocks() + block.index(), totals.load(i));
  }

 private:
  FATHOM_DEVICE
  static constexpr int log_words(int digit_bits) { return max(digit_bits - 2, 0); }
  FATHOM_DEVICE
  static constexpr int words(int digit_bits) { return 1 << log_words(digit_bits); }

  template <class Block>
  FATHOM_DEVICE
  void count_tile(Block& block, Counters counters, Index first) const {
    const auto count_key = [&](Bits key) {
      const int value = digit.of(key);
      counters.increment((value & (words(digit_bits) - 1)) * threads_per_block + block.thread(),
                         value >> log_words(digit_bits));
    };
    if (n - first >= threads_per_block * elements_per_thread) {
      Registers<Bits, Elements> loaded(elements_per_thread);
      load_strided(loaded, elements_per_thread, block.thread(), threads_per_block,
                   [&](int at) { return keys.load(first + at); });
      FATHOM_UNROLL
      for (int i = 0; i < elements_per_thread; ++i) count_key(loaded[i]);
    } else {
      for (Index i = first + block.thread(); i < n; i += threads_per_block) count_key(keys.load(i));
    }
  }

  /// Adds the counters of all threads to the totals; a warp has some of the words.
  template <class Block>
  FATHOM_DEVICE
  void add_up(Block& block, Counters counters, Shared<u64> totals) const {
    for (int word = block.warp(); word < words(digit_bits); word += threads_per_block / warp_width) {
      // Even and odd bytes apart, each in 16 bits: of 256 threads they add up to at most 255 · 256.
      static_assert(Counters::per_word == 4);
      constexpr u32 even = 0x00ff00ff;
      u32 sums[2] = {0, 0};
      for (int i = block.lane(); i < threads_per_block; i += warp_width) {
        const u32 counted = counters.words.load(word * threads_per_block + i);
        sums[0] += counted & even;
        sums[1] += counted >> 8 & even;
      }
      sums[0] = block.reduce_add(sums[0]);
      sums[1] = block.reduce_add(sums[1]);
      const int field = block.lane(), value = field << log_words(digit_bits) | word;
      if (field < Counters::per_word && value < 1 << digit_bits)
        totals.store(
            value, totals.load(value) + PackedFields<16>::get(field % 2 == 0 ? sums[0] : sums[1], field / 2));
    }
  }
};

}  // namespace fathom
