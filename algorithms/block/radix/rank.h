// SPDX-License-Identifier: Apache-2.0
// A tile's elements in the order of one digit, stably: the core of the radix sorts.
#pragma once

#include <fathom/algorithms/block/digits.h>
#include <fathom/algorithms/block/scan.h>
#include <fathom/algorithms/block/tile.h>

namespace fathom {

template <class Rows, class Threads>
struct DigitColumn;

/// This says whether ranks keep the order of keys with equal digits.
enum class EqualDigits { in_any_order, in_order_as_seen, in_order_for_sure };

/// Where a thread's items are in a tile: a warp has consecutive elements, and items i of its lanes are
/// neighbours.
struct ItemsOfWarp {
  /// The position of item 0 of the thread; item i is i·warp_width further.
  template <class Block>
  FATHOM_DEVICE
  static int first(const Block& block, int elements) {
    return block.warp() * warp_width * elements + block.lane();
  }
  /// Returns how many items of the thread whose item 0 is at `first` are among the first `count` elements of
  /// the tile. More than it has means all of them, a negative number none.
  FATHOM_DEVICE
  static int before(int count, int first) { return (count - first + warp_width - 1) / warp_width; }
};

/// Lanes of a warp that have the same digit as the first. All lanes of a warp call these.
struct AgreeingLanes {
  static constexpr int samples = 4;  ///< items by which a warp decides
  static constexpr int many = 8;     ///< of a warp; of random keys one to four agree

  /// Returns true if many lanes of the warp agree in one of their first items. `digit_of` and `there` are
  /// those of RowsOfDigits::rank_digits.
  template <class Block, class DigitOf, class Elements>
  FATHOM_DEVICE
  static bool are_many(Block& block, DigitOf digit_of, Elements elements, int there) {
    bool many_agree = false;
    FATHOM_UNROLL
    for (int i = 0; i < samples && i < elements; ++i)
      many_agree |= count_ones(block.ballot(agrees(block, digit_of(i), i < there))) >= many;
    return many_agree;
  }

  /// Adds each lane's item to the count of its digit, a word of `row`, and returns the count before; by one
  /// atomic for the lanes that agree with the first, which are counted in their order. The others call
  /// count_alone(), which returns the count before. If any lane's item is there, that of lane 0 is.
  template <class Block, class CountAlone>
  FATHOM_DEVICE
  static u32 count(Block& block, Shared<u32> row, int word, bool is_there, CountAlone count_alone) {
    const bool is_one = agrees(block, word, is_there);
    const u32 agreeing = block.ballot(is_one);
    u32 before = 0;
    if (is_there && !is_one)
      before = count_alone();
    else if (is_one && block.lane() == 0)
      before = row.atomic_add(word, u32(count_ones(agreeing)));
    const u32 first = block.shuffle(before, 0);
    return is_one ? first + u32(count_ones(agreeing & ((1u << block.lane()) - 1))) : before;
  }

 private:
  template <class Block>
  FATHOM_DEVICE
  static bool agrees(Block& block, int digit, bool is_there) {
    return (digit == block.shuffle(digit, 0)) & is_there;
  }
};

/// Ranks keys by a digit. Each warp counts the digits of its keys in a row of words in shared memory, one per
/// digit: an atomic counts a key, and returns how many there were before. If lanes of a warp have the same
/// digit, an H200 was seen to count them in the order of the lanes (data/h200-radix-sorts/trials.txt), but
/// nothing promises it.
///
/// If it `proves_order`, ranks keep the order of equal digits: each warp has a second row, in which an atomic
/// leaves the greatest place of a digit so far, and returns the one before. If no lane finds a greater place
/// than its own, these atomics came in the order of the lanes, and each lane knows the nearest lower lane
/// with its digit. If each was counted directly after that lane, the counts came in order, too. Otherwise the
/// warp counts its keys again, lane after lane. Without the proof, whoever uses the ranks looks if keys are
/// in the order that they should have.
///
/// Atomics on one word take their turns. So in a warp whose keys often have the same digit, where they are
/// sorted, or few values are frequent, the lanes that agree with the first find each other by a ballot.
///
/// Digits at equal distances, as of sorted keys, would often meet in a bank: so digits' words are not in
/// their order.
///
/// Keys are where ItemsOfWarp says, and ranked in the order of these places.
template <bool proves_order>
struct RowsOfDigits {
  static constexpr auto equal_digits =
      proves_order ? EqualDigits::in_order_for_sure : EqualDigits::in_order_as_seen;

  Shared<u32> words;  ///< the rows of counts, one per warp; the rows of places
  int bins;

  FATHOM_DEVICE
  static constexpr int words_of(int threads, int bins) {
    return threads / warp_width * bins * (proves_order ? 2 : 1);
  }
  static constexpr int shared_memory(int threads, int bins) {
    return shared_bytes<u32>(words_of(threads, bins));
  }
  template <class Block>
  FATHOM_DEVICE
  static RowsOfDigits make(Block& block, int bins) {
    return {block.template shared<u32>(words_of(block.threads(), bins)), bins};
  }

  /// A digit's word in each row: its 32 neighbours are in other banks, and so are digits 32 apart. Of digits
  /// of up to 10 bits it is its own inverse.
  FATHOM_DEVICE
  static int word_of(int bin) { return bin ^ bin >> 5; }

  /// ranks[i] = the word of the digit of keys[i], in the upper half, and how many keys of this warp with the
  /// same digit come before it, for i < there; the thread's other items are left out. Leaves the counts of
  /// digits in the rows. (Words are kept because registers are scarce: the compiler would keep them anyway,
  /// in ones of their own.)
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
    clear(block, counts(block));
    if constexpr (proves_order) clear(block, places(block));
    block.warp_barrier();
    const bool in_order = AgreeingLanes::are_many(block, digit_of, elements, there)
                              ? count_items<true>(block, digit_of, elements, there, ranks)
                              : count_items<false>(block, digit_of, elements, there, ranks);
    if (!in_order) count_lane_after_lane(block, elements, there, ranks);
  }

  /// Makes them ranks in the tile, once DigitColumn::store_ranks has been called for all digits. Passes each
  /// to ranked(rank, digit).
  template <class Block, class Elements, class Ranked>
  FATHOM_DEVICE
  void rank_in_tile(Block& block, Elements elements, Registers<u32, Elements>& ranks, Ranked ranked) const {
    const auto row = counts(block);
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
  DigitColumn<RowsOfDigits, Threads> column(int bin, Threads threads) const { return {*this, bin, threads}; }

 private:
  template <class Block>
  FATHOM_DEVICE
  Shared<u32> counts(const Block& block) const { return words.from(block.warp() * bins); }
  template <class Block>
  FATHOM_DEVICE
  Shared<u32> places(const Block& block) const { return words.from((block.warps() + block.warp()) * bins); }
  template <class Block>
  FATHOM_DEVICE
  void clear(const Block& block, Shared<u32> row) const {
    for (int i = block.lane(); i < bins; i += warp_width) row.store(i, 0);
  }

  /// Returns false if the order of equal digits is to be kept, and may not have been.
  template <bool often_agree, class Block, class DigitOf, class Elements>
  FATHOM_DEVICE
  bool count_items(Block& block, DigitOf digit_of, Elements elements, int there,
                   Registers<u32, Elements>& ranks) const {
    const auto row = counts(block);
    u32 out_of_order = 0;
    FATHOM_UNROLL
    for (int i = 0; i < elements; ++i) {
      const bool is_there = i < there;
      const int word = word_of(digit_of(i));
      // Items count from 1, so that no place looks like one of item 0 in a word that is still clear.
      const u32 item = u32(i + 1), place = item * warp_width + u32(block.lane());
      u32 before = 0, place_before = 0;
      const auto count_alone = [&] {
        const u32 counted = row.atomic_add(word, 1);
        if constexpr (proves_order) place_before = places(block).atomic_max(word, place);
        return counted;
      };
      if constexpr (often_agree) {
        before = AgreeingLanes::count(block, row, word, is_there, count_alone);
      } else if (is_there) {
        before = count_alone();
      }
      if constexpr (proves_order) {
        const u32 theirs = block.shuffle(before, int(place_before % warp_width));
        if (place_before > place) out_of_order = 1;
        if (place_before / warp_width == item && before != theirs + 1) out_of_order = 1;
      }
      ranks[i] = u32(word) << 16 | before;
      block.warp_barrier();  // no lane counts its next item before all have counted this one
    }
    return !proves_order || block.ballot(out_of_order != 0) == 0;
  }

  /// Counts the same items again.
  template <class Block, class Elements>
  FATHOM_DEVICE
  void count_lane_after_lane(Block& block, Elements elements, int there,
                             Registers<u32, Elements>& ranks) const {
    const auto row = counts(block);
    clear(block, row);
    block.warp_barrier();
    FATHOM_UNROLL
    for (int i = 0; i < elements; ++i) {
      FATHOM_NO_UNROLL
      for (int lane = 0; lane < warp_width; ++lane) {
        const u32 word = ranks[i] >> 16;
        if (lane == block.lane() && i < there) ranks[i] = word << 16 | row.atomic_add(int(word), 1);
        block.warp_barrier();
      }
    }
  }
};

using DigitRows = RowsOfDigits<true>;
using UnprovenDigitRows = RowsOfDigits<false>;

/// The counts of one digit in all rows of RowsOfDigits, which the thread of that digit turns into ranks. They
/// are read twice: held in registers meanwhile, they would limit the resident blocks.
template <class Rows, class Threads>
struct DigitColumn {
  Rows rows;
  int bin;
  Threads threads;

  FATHOM_DEVICE
  u32 sum() const {
    u32 sum = 0;
    FATHOM_UNROLL
    for (int row = 0; row < threads / warp_width; ++row)
      sum += rows.words.load(row * rows.bins + Rows::word_of(bin));
    return sum;
  }
  /// Replaces each row's count by the rank in the tile of its first key of the digit, `start` for row 0.
  FATHOM_DEVICE
  void store_ranks(u32 start) const {
    FATHOM_UNROLL
    for (int row = 0; row < threads / warp_width; ++row) {
      const int word = row * rows.bins + Rows::word_of(bin);
      const u32 count = rows.words.load(word);
      rows.words.store(word, start);
      start += count;
    }
  }
  /// The rank in the tile of the first key of the digit, once ranks are stored.
  FATHOM_DEVICE
  u32 start() const { return rows.words.load(Rows::word_of(bin)); }
};

}  // namespace fathom
