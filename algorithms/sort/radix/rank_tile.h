// A tile's elements in the order of one digit, stably: the core of the radix sorts.
#pragma once

#include <fathom/algorithms/scan/in_block.h>
#include <fathom/algorithms/sort/radix/digits.h>

namespace fathom {

/// Ranks keys by a digit. Half-warps count the digits of the keys that they hold, in a row of words in shared
/// memory, one per digit. The low half of a word is the count. In the high half each lane sets a bit of its
/// own, so that lanes with the same digit see each other: an atomic, a load and a store rank a key. Finding
/// the lanes by eight ballots takes some fifty instructions, and the match instruction loops over distinct
/// values. Half-warps, because a word has 32 bits.
///
/// Keys are in the order of half-warps, of the items of their lanes, and of lanes.
struct DigitRows {
  static constexpr int lanes = warp_width / 2;

  Shared<u32> words;
  int bins;

  static int shared_memory(int threads, int bins) { return shared_bytes<u32>(threads / lanes * bins); }
  template <class Block>
  FATHOM_DEVICE
  static DigitRows make(Block& block, int bins) {
    return {block.template shared<u32>(block.threads() / lanes * bins), bins};
  }

  /// The position in the tile of item 0 of the thread; item i is i·lanes further.
  template <class Block>
  FATHOM_DEVICE
  static int first_of_thread(const Block& block, int elements) {
    return block.thread() / lanes * lanes * elements + block.thread() % lanes;
  }

  /// ranks[i] = the digit of keys[i], in the upper half, and how many keys of this half-warp with the same
  /// digit come before it. Leaves the counts of digits in the rows. (The digits are kept because registers
  /// are scarce: the compiler would keep them anyway, in one of their own.) Keys from `count` on in the tile
  /// are left out.
  template <class Block, class Key, class Elements>
  FATHOM_DEVICE
  void rank(Block& block, Digit digit, const Registers<Key, Elements>& keys, Elements elements, int count,
            Registers<u32, Elements>& ranks) const {
    const auto rows_of_warp = words.from(block.warp() * 2 * bins);
    for (int i = block.lane(); i < 2 * bins; i += warp_width) rows_of_warp.store(i, 0);
    block.warp_barrier();
    const auto row = row_of_thread(block);
    const u32 bit = 0x10000u << block.lane() % lanes, lower_lanes = bit - 0x10000u;
    const int own = first_of_thread(block, elements);
    FATHOM_UNROLL
    for (int i = 0; i < elements; ++i) {
      const int bin = digit.of(keys[i]);
      const bool is_there = own + i * lanes < count;
      if (is_there) row.atomic_add(bin, bit);
      block.warp_barrier();
      if (is_there) ranks[i] = row.load(bin);
      block.warp_barrier();
      if (is_there) row.atomic_add(bin, 1 - bit);
    }
    FATHOM_UNROLL
    for (int i = 0; i < elements; ++i)
      ranks[i] = u32(digit.of(keys[i])) << 16 | ((ranks[i] & 0xffff) + count_ones(ranks[i] & lower_lanes));
  }

  /// Makes them ranks in the tile, once DigitColumn::store_ranks has been called for all digits.
  template <class Block, class Elements>
  FATHOM_DEVICE
  void rank_in_tile(Block& block, Elements elements, Registers<u32, Elements>& ranks) const {
    const auto row = row_of_thread(block);
    FATHOM_UNROLL
    for (int i = 0; i < elements; ++i) ranks[i] = (ranks[i] & 0xffff) + row.load(int(ranks[i] >> 16));
  }

 private:
  template <class Block>
  FATHOM_DEVICE
  Shared<u32> row_of_thread(const Block& block) const { return words.from(block.thread() / lanes * bins); }
};

/// The counts of one digit in all rows, which the thread of that digit turns into ranks. They are read twice:
/// held in registers meanwhile, they would limit the resident blocks.
template <class Threads>
struct DigitColumn {
  DigitRows rows;
  int bin;
  Threads threads;

  FATHOM_DEVICE
  u32 sum() const {
    u32 sum = 0;
    FATHOM_UNROLL
    for (int row = 0; row < threads / DigitRows::lanes; ++row) sum += rows.words.load(row * rows.bins + bin);
    return sum;
  }
  /// Replaces each row's count by the rank in the tile of its first key of the digit, `start` for row 0.
  FATHOM_DEVICE
  void store_ranks(u32 start) const {
    FATHOM_UNROLL
    for (int row = 0; row < threads / DigitRows::lanes; ++row) {
      const u32 count = rows.words.load(row * rows.bins + bin);
      rows.words.store(row * rows.bins + bin, start);
      start += count;
    }
  }
};

/// A tile's elements in shared memory: keys and values apart, as in global memory.
template <class Element>
struct SharedList {
  Shared<Element> keys;

  static int shared_memory(int count) { return shared_bytes<Element>(count); }
  template <class Block>
  FATHOM_DEVICE
  static SharedList make(Block& block, int count) { return {block.template shared<Element>(count)}; }
};
template <class Key, class Value>
struct SharedList<Record<Key, Value>> {
  Shared<Key> keys;
  Shared<Value> values;

  static int shared_memory(int count) { return shared_bytes<Key>(count) + shared_bytes<Value>(count); }
  template <class Block>
  FATHOM_DEVICE
  static SharedList make(Block& block, int count) {
    const auto keys = block.template shared<Key>(count);
    return {keys, block.template shared<Value>(count)};
  }
};

template <class Element>
inline constexpr bool has_values = false;
template <class Key, class Value>
inline constexpr bool has_values<Record<Key, Value>> = true;

}  // namespace fathom
