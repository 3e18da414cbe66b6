// SPDX-License-Identifier: Apache-2.0
// Sorts a tile of a list in shared memory.
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

/// Sorts tiles of up to threads × elements elements: first in registers, then by merges within the block.
/// LessThan orders keys.
template <class Element, class LessThan, class Stability, class Threads, class Elements>
class TileSort {
  using Part = SortedPart<Element, Stability>;
  using Order = OrderOf<Element, LessThan, Stability>;

 public:
  static int shared_memory(int threads, int elements) {
    return shared_bytes<Element>(threads * elements) + shared_bytes<int>(threads);
  }
  template <class Block>
  FATHOM_DEVICE
  TileSort(Block& block, Threads threads, Elements elements)
      : threads_(threads),
        elements_(elements),
        tile_(block.template shared<Element>(threads * elements)),
        splits_(block.template shared<int>(threads)) {}

  /// Sorts the first `count` elements of `input`, for write_tile(). All threads of the block call it.
  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block, const ConstListOf<Element>& input, int count,
                  Registers<Element, Elements>& sorted) const {
    load_and_sort(block, input, count, sorted);

    // Merges the runs of `width` threads; up to a warp, only the warp must wait.
    for (int width = 2; width <= threads_; width *= 2) {
      const auto wait = [&] { width <= warp_width ? block.warp_barrier() : block.barrier(); };
      store_consecutive(tile_, block.thread() * elements_, elements_, sorted);
      wait();
      merge_share(sorted, elements_, tile_, share_of_thread(block.thread(), width, count), splits_,
                  block.thread(), Order{}, wait);
      wait();
    }
    if constexpr (Part::has_positions) fetch_values(block, sorted, input.values, count);
  }
  /// The shared memory of the tile, which is free again.
  FATHOM_DEVICE
  const Shared<Element>& tile() const { return tile_; }

 private:
  /// Replaces positions by the values there.
  template <class Block, class Value>
  FATHOM_DEVICE
  void fetch_values(Block& block, Registers<Element, Elements>& sorted, Span<const Value> values,
                    int count) const {
    using InFlight = Constant<8>;  // few: the registers are full of keys and positions
    fill_tile<Element>(block, threads_, elements_, tile_, count, InFlight{}, [&](int at) {
      return Element{{}, values.load(at)};
    });
    block.barrier();
    if (block.thread() * elements_ < count) {
      FATHOM_UNROLL
      for (int i = 0; i < elements_; ++i) sorted[i].value = tile_.load(position_in(sorted[i])).value;
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
    if (count == threads_ * elements_)
      load_strided(sorted, elements_, block.thread(), threads_, load);
    else if (!load_padded(sorted, elements_, block.thread() * elements_, count, load, Order{}))
      return;
    odd_even_merge_sort(sorted, elements_, Order{});
  }

  FATHOM_DEVICE
  PairShare share_of_thread(int thread, int width, int count) const {
    const int in_merge = thread & (width - 1);
    const int run = width / 2 * elements_;
    const int a_first = min((thread - in_merge) * elements_, count);
    const int b_first = min(a_first + run, count);
    return {a_first, b_first, min(b_first + run, count), in_merge, in_merge == width - 1};
  }

  Threads threads_;
  Elements elements_;
  Shared<Element> tile_;
  Shared<int> splits_;
};

}  // namespace fathom
