// SPDX-License-Identifier: Apache-2.0
// One pass of a radix sort over global memory: every element is read once and written once.
#pragma once

#include <fathom/algorithms/block/radix/rank.h>
#include <fathom/algorithms/block/reduce.h>
#include <fathom/algorithms/sort/radix/onesweep/digit_states.h>
#include <fathom/algorithms/sort/radix/onesweep/key_order.h>
#include <fathom/algorithms/sort/radix/radix_pass.h>

namespace fathom {

/// A digit that takes long to find out, so that it is done once: keep(place, digit) keeps it in shared memory
/// for a place in the tile, and kept(place) returns it.
template <class DigitOfKeys>
concept KeptDigit = requires(const DigitOfKeys& digit) {
  digit.kept(0);
};

/// Moves every element to its digit's place, one tile of threads × elements per block: ranks the tile's
/// elements, learns from the tiles before where they go, puts them in order in shared memory, and writes them
/// from there, so that most lanes write next to their neighbours. `Rows`, which rank, decide whether elements
/// of a digit keep their order. UnprovenDigitRows are for keys of which nothing but the sorted bits matters,
/// and which are in the order of those below the digit (KeyOrder).
template <class Element, class Count, class Threads = Number, class Elements = Number, class Bits = Number,
          class Rows = DigitRows>
struct SplitByDigit {
  using Split = SplitByDigit;
  static constexpr const char* header = "fathom/algorithms/sort/radix/onesweep/split_by_digit.h";
  static constexpr bool blocks_communicate = true;

  using Key = KeyOf<Element>;
  using Value = ValueOf<Element>;

  RadixLists<Element> lists;
  Span<const RadixPass> pass;  ///< of one element
  Span<const u64> starts;      ///< of the digit's bins in the output
  Span<Count> states;          ///< of DigitStates; n < 2^count_bits
  Index n;
  Threads threads_per_block;  ///< at least 2^bits
  Elements elements_per_thread;
  Bits bits;
  int first_bit;  ///< by which keys are sorted; only UnprovenDigitRows need it

  static constexpr int shared_memory(int threads, int elements, int bits) {
    return Rows::shared_memory(threads, 1 << bits) + TileOf<Element>::bytes(threads * elements) +
           shared_bytes<Count>(1 << bits) + shared_bytes<u32>(warp_width);
  }

  /// As many as have the registers, if a thread has its keys or their values, their ranks, and some twenty
  /// more; but no more than a multiprocessor of sm_90 has shared memory for.
  static constexpr int least_resident_blocks() {
    constexpr int words = int(max(sizeof(Key), sizeof(Value))) / 4 + 1, more = has_values<Element> ? 24 : 20;
    return min(blocks_with_registers(Threads{}, Elements{} * words + more),
               blocks_with_shared_memory(shared_memory(Threads{}, Elements{}, Bits{})));
  }

  /// A block's shared memory.
  struct Space {
    Rows rows;
    typename TileOf<Element>::type tile;
    /// What to add to the ranks of a digit's keys in the tile for their places in the output; before that is
    /// known, how many keys of the tile have the digit.
    Shared<Count> offsets;
    Shared<u32> sums;
  };
  template <class Block>
  FATHOM_DEVICE
  Space make_space(Block& block) const {
    const auto rows = Rows::make(block, 1 << bits);
    const auto tile = TileOf<Element>::in(block, threads_per_block * elements_per_thread);
    const auto offsets = block.template shared<Count>(1 << bits);
    return {rows, tile, offsets, block.template shared<u32>(warp_width)};
  }

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const RadixPass todo = pass.load(0);
    if (todo.to == RadixPass::nowhere) return;
    const auto space = make_space(block);
    if constexpr (Rows::equal_digits == EqualDigits::in_order_as_seen)
      move_and_look(block, todo, space);
    else
      move_tile(block, todo, todo.digit, lists, n, block.index(), space);
  }

  /// A block calls this for tiles of `elements` elements of the lists in ascending order. `digit` is that of
  /// the pass, or a KeptDigit.
  template <class Block, class DigitOfKeys>
  FATHOM_DEVICE
  void move_tile(Block& block, const RadixPass& todo, DigitOfKeys digit, const RadixLists<Element>& of,
                 const Index& elements, Index index, const Space& space) const {
    move_tile(block, todo, digit, of, elements, index, space, [](int, const Key&) {});
  }
  /// The same. Calls written(at, key) for each key that the calling thread has written, from this place of
  /// space.tile.
  template <class Block, class DigitOfKeys, class Written>
  FATHOM_DEVICE
  void move_tile(Block& block, const RadixPass& todo, DigitOfKeys digit, const RadixLists<Element>& of,
                 const Index& elements, Index index, const Space& space, Written written) const {
    const auto input = of.source(todo);
    const auto range = TileRange::number(index, threads_per_block * elements_per_thread, elements);

    const int own = ItemsOfWarp::first(block, elements_per_thread);
    Registers<Key, Elements> keys(elements_per_thread);
    // The padding of the last tile sorts behind all else, and is not written. Where ranks do not keep the
    // order of equal digits, it is not ranked, and stays behind all keys.
    const bool ranks_padding = Rows::equal_digits != EqualDigits::in_any_order;
    const int there = ranks_padding ? int(elements_per_thread) : ItemsOfWarp::before(range.count, own);
    load(keys_of(input).from(range.first), own, range.count, from_ordered_bits<Key>(~BitsOf<Key>(0)), keys);
    Registers<u32, Elements> ranks(elements_per_thread);
    if constexpr (KeptDigit<DigitOfKeys>) {
      FATHOM_UNROLL
      for (int i = 0; i < elements_per_thread; ++i) ranks[i] = u32(digit.of(keys[i]));
      space.rows.rank_digits(
          block, [&](int i) { return int(ranks[i]); }, elements_per_thread, there, ranks);
    } else {
      space.rows.rank(block, digit, keys, elements_per_thread, there, ranks);
    }
    block.barrier();
    const DigitStates<Count> tiles{states, space.rows.bins, todo.parity};
    const u32 start = place_bins(block, space, tiles, index);
    block.barrier();
    if constexpr (KeptDigit<DigitOfKeys>)
      space.rows.rank_in_tile(block, elements_per_thread, ranks,
                              [&](int rank, int bin) { digit.keep(rank, bin); });
    else
      space.rows.rank_in_tile(block, elements_per_thread, ranks);
    scatter(keys, ranks, keys_of(space.tile));
    // Once keys have left their registers, and ahead of the wait for other tiles.
    Registers<Value, Elements> values(elements_per_thread);
    if constexpr (has_values<Element>)
      load(input.values.from(range.first), own, range.count, Value{}, values);
    // Tiles that began earlier may publish later: by now most have, which saves a tenth of the time.
    find_offsets(block, space, tiles, index, start);
    if constexpr (has_values<Element>) scatter(values, ranks, space.tile.values);
    block.barrier();
    write(block, space, digit, range.count, of.target(todo), written);
  }

  /// Writes the first `count` elements of space.tile, which are in the order of `digit`. `written` is that of
  /// move_tile().
  template <class Block, class DigitOfKeys, class Written>
  FATHOM_DEVICE
  void write(Block& block, const Space& space, DigitOfKeys digit, int count, ListOf<Element> output,
             Written written) const {
    const auto write_at = [&](int at) {
      const Key key = keys_of(space.tile).load(at);
      int bin;
      if constexpr (KeptDigit<DigitOfKeys>)
        bin = digit.kept(at);
      else
        bin = digit.of(key);
      const Index to = Index(Count(space.offsets.load(bin) + Count(at)));
      keys_of(output).store(to, key);
      if constexpr (has_values<Element>) output.values.store(to, space.tile.values.load(at));
      written(at, key);
    };
    // A few elements at a time: with all of them in flight, registers would limit the resident blocks.
    constexpr int in_flight = 2;
    int at = block.thread();
    if (count == threads_per_block * elements_per_thread) {
      FATHOM_NO_UNROLL
      for (int row = 0; row + in_flight <= elements_per_thread; row += in_flight) {
        FATHOM_UNROLL
        for (int i = 0; i < in_flight; ++i) write_at(at + i * threads_per_block);
        at += in_flight * threads_per_block;
      }
    }
    FATHOM_NO_UNROLL
    for (; at < count; at += threads_per_block) write_at(at);
  }

 private:
  /// States that a thread loads at a time. With values in registers, 2 are 3 % faster than 4, otherwise 4.
  static constexpr int window = has_values<Element> ? 2 : 4;

  template <class T>
  FATHOM_DEVICE
  void load(Span<const T> list, int own, int count, const T& padding, Registers<T, Elements>& loaded) const {
    const bool whole = count == threads_per_block * elements_per_thread;
    FATHOM_UNROLL
    for (int i = 0; i < elements_per_thread; ++i) {
      const int at = own + i * warp_width;
      if (whole)
        loaded[i] = list.load(at);
      else
        loaded[i] = at < count ? list.load(at) : padding;
    }
  }

  template <class T>
  FATHOM_DEVICE
  void scatter(const Registers<T, Elements>& elements, const Registers<u32, Elements>& ranks,
               Shared<T> tile) const {
    FATHOM_UNROLL
    for (int i = 0; i < elements_per_thread; ++i) tile.store(int(ranks[i]), elements[i]);
  }

  /// Publishes the counts of the tile, and turns them into ranks in it. Thread b does digit b; returns where
  /// the digit begins in the tile.
  template <class Block>
  FATHOM_DEVICE
  u32 place_bins(Block& block, const Space& space, const DigitStates<Count>& tiles, Index index) const {
    const int bin = block.thread();
    const bool has_bin = bin < space.rows.bins;
    const auto column = space.rows.column(has_bin ? bin : 0, threads_per_block);
    const u32 here = has_bin ? column.sum() : 0;
    if (has_bin) {
      if (index == 0)
        tiles.publish(index, bin, Count(starts.load(bin)) + here, true);
      else
        tiles.publish(index, bin, here, false);
      space.offsets.store(bin, here);
    }
    const u32 start = thread_prefix_in_block(block, here, space.sums, Plus{}).exclusive_prefix;
    if (has_bin) column.store_ranks(start);
    return start;
  }

  /// Moves the block's tile, and looks if its keys are in order, as ranks without a proof of it should have
  /// left them; otherwise sorts and writes them again.
  template <class Block>
  FATHOM_DEVICE
  void move_and_look(Block& block, const RadixPass& todo, const Space& space) const {
    const int tile = threads_per_block * elements_per_thread;
    const int count = TileRange::number(block.index(), tile, n).count;
    const KeyOrder<Key> order(first_bit, todo.digit);
    u32 out_of_order = 0;  // as a bool it would be kept in a byte, with several instructions around each use
    move_tile(block, todo, todo.digit, lists, n, block.index(), space, [&](int at, const Key& key) {
      if (order.is_less(key, space.tile.load(max(at - 1, 0)))) out_of_order = 1;
    });
    for (int at = count + block.thread(); at < tile; at += threads_per_block)
      if (!order.is_padding(space.tile.load(at))) out_of_order = 1;
    if (!any_in_block(block, out_of_order != 0, space.sums)) return;
    sort_bins(block, space, order);
    block.barrier();
    write(block, space, todo.digit, count, lists.target(todo), [](int, const Key&) {});
  }

  /// Sorts the keys of each digit in the tile, which are nearly in order, by the digit's thread.
  template <class Block>
  FATHOM_DEVICE
  void sort_bins(Block& block, const Space& space, const KeyOrder<Key>& order) const {
    const int bin = block.thread();
    if (bin >= space.rows.bins) return;
    const auto start = [&](int b) { return int(space.rows.column(b, threads_per_block).start()); };
    const int begin = start(bin);
    const int end = bin + 1 < space.rows.bins ? start(bin + 1) : threads_per_block * elements_per_thread;
    FATHOM_NO_UNROLL
    for (int at = begin + 1; at < end; ++at) {
      const Key key = space.tile.load(at);
      int to = at;
      FATHOM_NO_UNROLL
      for (; to > begin; --to) {
        const Key before = space.tile.load(to - 1);
        if (!order.belongs_behind(before, key)) break;
        space.tile.store(to, before);
      }
      space.tile.store(to, key);
    }
  }

  /// Learns from the tiles before where the digits go.
  template <class Block>
  FATHOM_DEVICE
  void find_offsets(Block& block, const Space& space, const DigitStates<Count>& tiles, Index index,
                    u32 start) const {
    const int bin = block.thread();
    if (bin >= space.rows.bins) return;
    Count before;
    if (index == 0) {
      before = Count(starts.load(bin));
    } else {
      before = tiles.template sum_before<window>(index, bin);
      tiles.publish(index, bin, before + space.offsets.load(bin), true);
    }
    space.offsets.store(bin, before - start);
  }
};

}  // namespace fathom
