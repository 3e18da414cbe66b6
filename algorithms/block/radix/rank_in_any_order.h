// SPDX-License-Identifier: Apache-2.0
// A tile's elements by one digit, in any order where they agree in it.
#pragma once

#include <fathom/algorithms/block/radix/rank.h>

namespace fathom {

/// Ranks keys by a digit, as RowsOfDigits does, but keys with equal digits come in any order. So all warps
/// count in one row of words, one per digit. Keys are where ItemsOfWarp says; where many lanes of a warp
/// agree, one counts for all that have its digit.
struct DigitCounts {
  static constexpr auto equal_digits = EqualDigits::in_any_order;

  /// Behind them is a word that stays 0, for items that are not there: their rank stays their position.
  Shared<u32> words;
  int bins;

  static constexpr int shared_memory(int /*threads*/, int bins) { return shared_bytes<u32>(bins + 1); }
  template <class Block>
  FATHOM_DEVICE
  static DigitCounts make(Block& block, int bins) { return {block.template shared<u32>(bins + 1), bins}; }

  /// ranks[i] = the word of the digit of keys[i], in the upper half, and how many keys of the block with the
  /// same digit have been ranked before, for i < there. Of the thread's other items the rank is their
  /// position. A block has at most 2^16 keys. All of its threads call this, and have to wait for each other
  /// before they read counts.
  template <class Block, class Key, class Elements>
  FATHOM_DEVICE
  void rank(Block& block, Digit digit, const Registers<Key, Elements>& keys, Elements elements, int there,
            Registers<u32, Elements>& ranks) const {
    for (int i = block.thread(); i <= bins; i += block.threads()) words.store(i, 0);
    block.barrier();
    const auto digit_of = [&](int i) { return digit.of(keys[i]); };
    if (AgreeingLanes::are_many(block, digit_of, elements, there))
      count_items<true>(block, digit_of, elements, there, ranks);
    else
      count_items<false>(block, digit_of, elements, there, ranks);
  }

  /// Makes them ranks in the tile, once store_ranks() has been called for the columns of all digits.
  template <class Block, class Elements>
  FATHOM_DEVICE
  void rank_in_tile(Block&, Elements elements, Registers<u32, Elements>& ranks) const {
    FATHOM_UNROLL
    for (int i = 0; i < elements; ++i) ranks[i] = (ranks[i] & 0xffff) + words.load(int(ranks[i] >> 16));
  }

  /// The count of a digit.
  struct Column {
    Shared<u32> words;
    int word;

    FATHOM_DEVICE
    u32 sum() const { return words.load(word); }
    /// Replaces it by the rank in the tile of the first key of the digit.
    FATHOM_DEVICE
    void store_ranks(u32 start) const { words.store(word, start); }
  };
  template <class Threads>
  FATHOM_DEVICE
  Column column(int bin, Threads) const { return {words, UnprovenDigitRows::word_of(bin)}; }

 private:
  template <bool many_agree, class Block, class DigitOf, class Elements>
  FATHOM_DEVICE
  void count_items(Block& block, DigitOf digit_of, Elements elements, int there,
                   Registers<u32, Elements>& ranks) const {
    const int own = ItemsOfWarp::first(block, elements);
    FATHOM_UNROLL
    for (int i = 0; i < elements; ++i) {
      const bool is_there = i < there;
      const int word = is_there ? UnprovenDigitRows::word_of(digit_of(i)) : bins;
      u32 rank = u32(own + i * warp_width);
      const auto count_alone = [&] { return words.atomic_add(word, 1); };
      if constexpr (many_agree) {
        const u32 counted = AgreeingLanes::count(block, words, word, is_there, count_alone);
        if (is_there) rank = counted;
      } else if (is_there) {
        rank = count_alone();
      }
      ranks[i] = u32(word) << 16 | rank;
    }
  }
};

}  // namespace fathom
