// SPDX-License-Identifier: Apache-2.0
// A tile's elements in the order of one digit, stably: the core of the radix sorts.
#pragma once

#include <fathom/algorithms/block/digits.h>
#include <fathom/algorithms/block/scan.h>
#include <fathom/algorithms/block/tile.h>

namespace fathom {

template <class Threads>
struct DigitColumn;

/// Where a thread's items are in a tile: each group of lanes, a warp or a half of one, has consecutive
/// elements, and items i of its lanes are neighbours.
template <int group>
struct ItemsOfGroup {
  /// The position of item 0 of the thread; item i is i·group further.
  template <class Block>
  FATHOM_DEVICE
  static int first(const Block& block, int elements) {
    return block.thread() / group * group * elements + block.thread() % group;
  }
  /// Returns how many items of the thread whose item 0 is at `first` are among the first `count` elements of
  /// the tile. More than it has means all of them, a negative number none.
  FATHOM_DEVICE
  static int before(int count, int first) { return (count - first + group - 1) / group; }
};

/// Lanes of a warp that have the same digit as the first of their `group` of lanes. All lanes of a warp call
/// these.
template <int group>
struct AgreeingLanes {
  static constexpr int samples = 4;  ///< items by which a warp decides
  static constexpr int many = 8;     ///< of a warp; of random keys one to four agree

  /// Returns true if this lane has the digit of the first lane of its group.
  template <class Block>
  FATHOM_DEVICE
  static bool agrees(Block& block, int digit, bool is_there) {
    return (digit == block.shuffle(digit, block.lane() / group * group)) & is_there;
  }
  /// Returns true if many lanes of the warp agree in one of their first items. `digit_of` and `there` are
  /// those of DigitRows.
  template <class Block, class DigitOf, class Elements>
  FATHOM_DEVICE
  static bool are_many(Block& block, DigitOf digit_of, Elements elements, int there) {
    bool many_agree = false;
    FATHOM_UNROLL
    for (int i = 0; i < samples && i < elements; ++i)
      many_agree |= count_ones(block.ballot(agrees(block, digit_of(i), i < there))) >= many;
    return many_agree;
  }
};

/// Ranks keys by a digit. Half-warps count the digits of the keys that they hold, in a row of words in shared
/// memory, one per digit. The low half of a word is the count. In the high half each lane sets a bit of its
/// own, so that lanes with the same digit see each other: an atomic, a load and a store rank a key. Finding
/// the lanes by eight ballots takes some fifty instructions, and the match instruction loops over distinct
/// values. Half-warps, because a word has 32 bits.
///
/// Atomics on one word take their turns. So in a warp whose keys often have the same digit, where they are
/// sorted, or few values are frequent, the lanes that agree with the first of their half-warp find each other
/// by a ballot, and leave the atomics to it.
///
/// Digits at equal distances, as of sorted keys, would often meet in a bank: so digits' words are not in
/// their order.
///
/// Keys are where ItemsOfGroup says, and ranked in the order of these places.
struct DigitRows {
  static constexpr int lanes = warp_width / 2;
  static constexpr bool keep_order = true;  ///< of keys with equal digits
  using Agreeing = AgreeingLanes<lanes>;
  using Items = ItemsOfGroup<lanes>;

  Shared<u32> words;
  int bins;

  static constexpr int shared_memory(int threads, int bins) {
    return shared_bytes<u32>(threads / lanes * bins);
  }
  template <class Block>
  FATHOM_DEVICE
  static DigitRows make(Block& block, int bins) {
    return {block.template shared<u32>(block.threads() / lanes * bins), bins};
  }

  /// A digit's word in each row: its 32 neighbours are in other banks, and so are digits 32 apart. Of digits
  /// of up to 10 bits it is its own inverse.
  FATHOM_DEVICE
  static int word_of(int bin) { return bin ^ bin >> 5; }

  /// ranks[i] = the word of the digit of keys[i], in the upper half, and how many keys of this half-warp with
  /// the same digit come before it, for i < there; the thread's other items are left out. Leaves the counts
  /// of digits in the rows. (Words are kept because registers are scarce: the compiler would keep them
  /// anyway, in ones of their own.)
  template <class Block, class Key, class Elements>
  FATHOM_DEVICE
  void rank(Block& block, Digit digit, const Registers<Key, Elements>& keys, Elements elements, int there,
            Registers<u32, Elements>& ranks) const {
    rank_digits(
        block, [&](int i) { return digit.of(keys[i]); }, elements, there, ranks);
  }
  /// The same of digit_of(i), a number less than `bins`, which may be ranks[i].
  template <class Block, class DigitOf, class Elements>
  FATHOM_DEVICE
  void rank_digits(Block& block, DigitOf digit_of, Elements elements, int there,
                   Registers<u32, Elements>& ranks) const {
    const auto rows_of_warp = words.from(block.warp() * 2 * bins);
    for (int i = block.lane(); i < 2 * bins; i += warp_width) rows_of_warp.store(i, 0);
    block.warp_barrier();
    if (Agreeing::are_many(block, digit_of, elements, there))
      count_items<true>(block, digit_of, elements, there, ranks);
    else
      count_items<false>(block, digit_of, elements, there, ranks);
  }

  /// Makes them ranks in the tile, once DigitColumn::store_ranks has been called for all digits. Passes each
  /// to ranked(rank, digit).
  template <class Block, class Elements, class Ranked>
  FATHOM_DEVICE
  void rank_in_tile(Block& block, Elements elements, Registers<u32, Elements>& ranks, Ranked ranked) const {
    const auto row = row_of_thread(block);
    FATHOM_UNROLL
    for (int i = 0; i < elements; ++i) {
      const int word = int(ranks[i] >> 16);
      ranks[i] = (ranks[i] & 0xffff) + row.load(word);
      ranked(int(ranks[i]), word_of(word));
    }
  }
  template <class Block, class Elements>
  FATHOM_DEVICE
  void rank_in_tile(Block& block, Elements elements, Registers<u32, Elements>& ranks) const {
    rank_in_tile(block, elements, ranks, [](int, int) {});
  }

  /// The counts of a digit.
  template <class Threads>
  FATHOM_DEVICE
  DigitColumn<Threads> column(int bin, Threads threads) const { return {*this, bin, threads}; }

 private:
  template <class Block>
  FATHOM_DEVICE
  Shared<u32> row_of_thread(const Block& block) const { return words.from(block.thread() / lanes * bins); }
  /// The lanes of this half-warp that agree, in the upper half; 0 if the caller does not.
  template <class Block>
  FATHOM_DEVICE
  static u32 lanes_that_agree(Block& block, int word, bool is_there) {
    const bool is_one = Agreeing::agrees(block, word, is_there);
    const u32 in_warp = block.ballot(is_one);
    return is_one ? (block.lane() < lanes ? in_warp << lanes : in_warp & 0xffff0000u) : 0;
  }

  template <bool often_agree, class Block, class DigitOf, class Elements>
  FATHOM_DEVICE
  void count_items(Block& block, DigitOf digit_of, Elements elements, int there,
                   Registers<u32, Elements>& ranks) const {
    const auto row = row_of_thread(block);
    const u32 bit = 0x10000u << block.lane() % lanes, lower_lanes = bit - 0x10000u;
    FATHOM_UNROLL
    for (int i = 0; i < elements; ++i) {
      const int word = word_of(digit_of(i));
      const bool is_there = i < there;
      const u32 agreeing = often_agree ? lanes_that_agree(block, word, is_there) : 0;
      const bool alone = is_there && agreeing == 0;
      if (alone) row.atomic_add(word, bit);
      block.warp_barrier();
      const u32 seen = is_there ? row.load(word) | agreeing : 0;
      ranks[i] = u32(word) << 16 | ((seen & 0xffff) + count_ones(seen & lower_lanes));
      block.warp_barrier();
      if (alone)
        row.atomic_add(word, 1 - bit);
      else if (is_there && block.lane() % lanes == 0)
        row.atomic_add(word, u32(count_ones(agreeing)));
    }
  }
};

/// The counts of one digit in all rows of DigitRows, which the thread of that digit turns into ranks. They
/// are read twice: held in registers meanwhile, they would limit the resident blocks.
template <class Threads>
struct DigitColumn {
  DigitRows rows;
  int bin;
  Threads threads;

  FATHOM_DEVICE
  u32 sum() const {
    u32 sum = 0;
    FATHOM_UNROLL
    for (int row = 0; row < threads / DigitRows::lanes; ++row)
      sum += rows.words.load(row * rows.bins + DigitRows::word_of(bin));
    return sum;
  }
  /// Replaces each row's count by the rank in the tile of its first key of the digit, `start` for row 0.
  FATHOM_DEVICE
  void store_ranks(u32 start) const {
    FATHOM_UNROLL
    for (int row = 0; row < threads / DigitRows::lanes; ++row) {
      const int word = row * rows.bins + DigitRows::word_of(bin);
      const u32 count = rows.words.load(word);
      rows.words.store(word, start);
      start += count;
    }
  }
};

}  // namespace fathom
