// SPDX-License-Identifier: Apache-2.0
// The base case of the pairwise mergesort (karsin2018 §4.1): every block sorts one tile.
#pragma once

#include <fathom/algorithms/block/load.h>
#include <fathom/algorithms/block/merge.h>
#include <fathom/algorithms/block/store.h>

namespace fathom {

/// The part of a list's elements that a block reads to sort them.
template <class Element, class Stability>
struct SortedPart {
  static constexpr bool has_positions = false;

  FATHOM_DEVICE
  static Element load(ConstListOf<Element> list, Index i, int) { return list.load(i); }
};
/// In records that shall be sorted stably, positions in the tile take the place of the values, which stay in
/// global memory until the keys are in order.
template <class Key, class Value>
struct SortedPart<Record<Key, Value>, Stable> {
  static constexpr bool has_positions = true;
  using Element = Record<Key, Value>;

  FATHOM_DEVICE
  static Element load(SplitSpan<const Key, const Value> list, Index i, int position) {
    return {list.keys.load(i), position_as<Value>(u32(position))};
  }
};

/// Sorts each tile of threads × elements elements: first in registers, then by merges within the block. One
/// block per tile. LessThan orders keys.
template <class Element, class LessThan, class Stability = Unstable, class Threads = Number,
          class Elements = Number>
struct BlockSort {
  static constexpr const char* header = "fathom/algorithms/sort/merge/pairwise/block_sort.h";

  using Part = SortedPart<Element, Stability>;
  using Order = OrderOf<Element, LessThan, Stability>;

  ConstListOf<Element> input;
  ListOf<Element> output;
  Index n;
  Threads threads_per_block;
  Elements elements_per_thread;

  static int shared_memory(int threads, int elements) {
    return shared_bytes<Element>(threads * elements) + shared_bytes<int>(threads);
  }

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const auto range = TileRange::number(block.index(), threads_per_block * elements_per_thread, n);
    const auto tile = block.template shared<Element>(range.size);
    const auto splits = block.template shared<int>(threads_per_block);

    Registers<Element, Elements> sorted(elements_per_thread);
    load_and_sort(block, input.from(range.first), range.count, sorted);

    // Merges the runs of `width` threads; up to a warp, only the warp must wait.
    for (int width = 2; width <= threads_per_block; width *= 2) {
      const auto wait = [&] { width <= warp_width ? block.warp_barrier() : block.barrier(); };
      store_consecutive(tile, block.thread() * elements_per_thread, elements_per_thread, sorted);
      wait();
      merge_share(sorted, elements_per_thread, tile, share_of_thread(block.thread(), width, range.count),
                  splits, block.thread(), Order{}, wait);
      wait();
    }
    if constexpr (Part::has_positions)
      fetch_values(block, sorted, input.from(range.first).values, range.count, tile);
    write_tile(block, sorted, elements_per_thread, tile, output.from(range.first), range.count);
  }

 private:
  /// Replaces positions by the values there.
  template <class Block, class Value>
  FATHOM_DEVICE
  void fetch_values(Block& block, Registers<Element, Elements>& sorted, Span<const Value> values, int count,
                    Shared<Element> tile) const {
    using InFlight = Constant<8>;  // few: the registers are full of keys and positions
    fill_tile<Element>(block, threads_per_block, elements_per_thread, tile, count, InFlight{}, [&](int at) {
      return Element{{}, values.load(at)};
    });
    block.barrier();
    if (block.thread() * elements_per_thread < count) {
      FATHOM_UNROLL
      for (int i = 0; i < elements_per_thread; ++i) sorted[i].value = tile.load(position_in(sorted[i])).value;
    }
    block.barrier();
  }

  /// A full tile is read with consecutive lanes at consecutive addresses, since it does not matter which
  /// thread sorts which elements. In the last, partial tile each thread must take consecutive elements, so
  /// that the valid ones of all threads are a prefix of the tile.
  template <class Block>
  FATHOM_DEVICE
  void load_and_sort(Block& block, ConstListOf<Element> source, int count,
                     Registers<Element, Elements>& sorted) const {
    const auto load = [&](int at) { return Part::load(source, at, at); };
    if (count == threads_per_block * elements_per_thread)
      load_strided(sorted, elements_per_thread, block.thread(), threads_per_block, load);
    else if (!load_padded(sorted, elements_per_thread, block.thread() * elements_per_thread, count, load,
                          Order{}))
      return;
    odd_even_merge_sort(sorted, elements_per_thread, Order{});
  }

  FATHOM_DEVICE
  PairShare share_of_thread(int thread, int width, int count) const {
    const int in_merge = thread & (width - 1);
    const int run = width / 2 * elements_per_thread;
    const int a_first = min((thread - in_merge) * elements_per_thread, count);
    const int b_first = min(a_first + run, count);
    return {a_first, b_first, min(b_first + run, count), in_merge, in_merge == width - 1};
  }
};

}  // namespace fathom
