// SPDX-License-Identifier: Apache-2.0
// One pass of a radix sort over global memory: every element is read once and written once.
#pragma once

#include <fathom/algorithms/block/radix/rank.h>
#include <fathom/algorithms/sort/radix/onesweep/digit_states.h>
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
/// from there, so that most lanes write next to their neighbours. `Rows`, which rank, say whether elements of
/// a digit keep their order.
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
    move_tile(block, todo, todo.digit, lists, n, block.index(), make_space(block));
  }

  /// A block calls this for tiles of `elements` elements of the lists in ascending order. `digit` is that of
  /// the pass, or a KeptDigit.
  template <class Block, class DigitOfKeys>
  FATHOM_DEVICE
  void move_tile(Block& block, const RadixPass& todo, DigitOfKeys digit, const RadixLists<Element>& of,
                 const Index& elements, Index index, const Space& space) const {
    const auto input = of.source(todo);
    const auto range = TileRange::number(index, threads_per_block * elements_per_thread, elements);

    const int own = Rows::Items::first(block, elements_per_thread);
    Registers<Key, Elements> keys(elements_per_thread);
    // The padding of the last tile sorts behind all else, and is not written. Where ranks do not keep the
    // order of equal digits, it is not ranked, and stays behind all keys.
    const int there = Rows::keep_order ? int(elements_per_thread) : Rows::Items::before(range.count, own);
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
    write(block, space, digit, range.count, of.target(todo));
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
      const int at = own + i * Rows::lanes;
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

  /// A few elements at a time: with all of them in flight, registers would limit the resident blocks.
  template <class Block, class DigitOfKeys>
  FATHOM_DEVICE
  void write(Block& block, const Space& space, DigitOfKeys digit, int count, ListOf<Element> output) const {
    constexpr int in_flight = 4;
    FATHOM_NO_UNROLL
    for (int first = block.thread(); first < count; first += in_flight * threads_per_block) {
      FATHOM_UNROLL
      for (int i = 0; i < in_flight; ++i) {
        const int at = first + i * threads_per_block;
        if (at >= count) continue;
        const Key key = keys_of(space.tile).load(at);
        int bin;
        if constexpr (KeptDigit<DigitOfKeys>)
          bin = digit.kept(at);
        else
          bin = digit.of(key);
        const Index to = Index(Count(space.offsets.load(bin) + Count(at)));
        keys_of(output).store(to, key);
        if constexpr (has_values<Element>) output.values.store(to, space.tile.values.load(at));
      }
    }
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
