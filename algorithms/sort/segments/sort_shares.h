// SPDX-License-Identifier: Apache-2.0
// Sorts several lists in a block's tile at once: each by as many neighbouring threads as it needs.
#pragma once

#include <fathom/algorithms/block/load.h>
#include <fathom/algorithms/block/merge.h>
#include <fathom/algorithms/block/store.h>

namespace fathom {

/// A thread's share of a list that is sorted in a tile: elements [share·E, (share + 1)·E).
struct ListShare {
  int first = 0;  ///< position of the list in the tile, as it is read and written
  int count = 0;  ///< elements of the list; 0 in threads without a list
  int shares = 0;
  int share = 0;
};

/// The elements that a thread moves between global memory and the tile: those at begin, begin + stride, … up
/// to `end`. The first is at `list` there, at `tile` here.
struct Moves {
  Index list;
  int tile;
  int begin, stride, end;

  FATHOM_DEVICE
  Index source(int at) const { return list + at; }
};

/// What sorts lists of up to threads × elements elements in all, stably. Lists are read into the tile one
/// behind the other. Meanwhile each thread's share is in E places of its own, so that a network may write
/// beyond the end of a list. Of records keys and positions are sorted, and the values follow them at the end.
template <class Element, class LessThan, class Threads, class Elements>
class ShareSort {
  using Sorted = Registers<Element, Elements>;
  using Order = OrderOf<Element, LessThan, Stable>;
  /// Loads of a thread at a time. More would need more registers for their places.
  using InFlight = Constant<8>;

 public:
  static int shared_memory(int threads, int elements) {
    return shared_bytes<Element>(threads * elements) + shared_bytes<int>(threads);
  }
  /// A thread has its elements, as many addresses or places, and some registers more.
  static constexpr int least_resident_blocks() {
    return blocks_with_registers(Threads{}, Elements{} * (int(sizeof(Element)) / 4 + 1) + 30);
  }
  template <class Block>
  FATHOM_DEVICE
  ShareSort(Block& block, Threads threads, Elements elements)
      : threads_(threads),
        elements_(elements),
        tile_(block.template shared<Element>(threads * elements)),
        splits_(block.template shared<int>(threads)) {}

  /// Sorts the lists of which the threads have shares, and writes them to the same places. All threads of the
  /// block call it. No list has more than `most_shares`. moves() of all threads together have each element of
  /// the lists once; it is called for each access of the lists, so that no register has to hold them
  /// meanwhile. A barrier at the end.
  template <class Block, class MovesOf>
  FATHOM_DEVICE
  void sort(Block& block, const ConstListOf<Element>& input, const ListOf<Element>& output,
            const ListShare& mine, int most_shares, const MovesOf& moves) const {
    Sorted sorted(elements_);
    read(input, moves());
    block.barrier();
    const int begin = mine.share * elements_;
    const auto list = tile_.from(mine.first);
    const bool active = load_padded(
        sorted, elements_, begin, mine.count, [&](int at) { return list.load(at); }, Order{});
    if (active) odd_even_merge_sort(sorted, elements_, Order{});
    block.barrier();
    FATHOM_NO_UNROLL
    for (int width = 2; width / 2 < most_shares; width *= 2) merge_shares(block, sorted, mine, width);
    if constexpr (has_values<Element>) fetch_values(block, input, moves(), active, sorted);
    FATHOM_UNROLL
    for (int i = 0; i < elements_; ++i)
      if (begin + i < mine.count) list.store(begin + i, sorted[i]);
    block.barrier();
    write(output, moves());
    block.barrier();
  }

 private:
  /// Calls `visit(i, at)` for the thread's moves `first`, first + 1, … of a batch, at being their elements.
  template <class Visit>
  FATHOM_DEVICE
  void for_each(const Moves& moves, int first, Visit visit) const {
    FATHOM_UNROLL
    for (int i = 0; i < InFlight{}; ++i) {
      const int at = moves.begin + (first + i) * moves.stride;
      if (first + i < elements_ && at < moves.end) visit(i, at);
    }
  }

  /// Sets the tile's elements to `element(loaded, position)`, of what is loaded from a list in global memory.
  template <class T, class ElementOf>
  FATHOM_DEVICE
  void fill(const Span<const T>& list, const Moves& moves, ElementOf element) const {
    FATHOM_UNROLL
    for (int first = 0; first < elements_; first += InFlight{}) {
      Registers<T, InFlight> loaded(InFlight{});
      for_each(moves, first, [&](int i, int at) { loaded[i] = list.load(moves.source(at)); });
      for_each(moves, first,
               [&](int i, int at) { tile_.store(moves.tile + at, element(loaded[i], moves.tile + at)); });
    }
  }

  /// Of records the keys with their positions.
  FATHOM_DEVICE
  void read(const ConstListOf<Element>& input, const Moves& moves) const {
    fill(keys_of(input), moves, [](const KeyOf<Element>& key, int at) { return with_position(key, at); });
  }
  FATHOM_DEVICE
  static Element with_position(const KeyOf<Element>& key, int position) {
    if constexpr (has_values<Element>)
      return {key, position_as<ValueOf<Element>>(u32(position))};
    else
      return key;
  }

  /// Merges runs of width / 2 shares of each list that has more. A barrier at the end.
  template <class Block>
  FATHOM_DEVICE
  void merge_shares(Block& block, Sorted& sorted, const ListShare& mine, int width) const {
    const int in_merge = mine.share & (width - 1), run = width / 2 * elements_;
    const int a_first = (mine.share - in_merge) * elements_;
    const bool has_pair = a_first + run < mine.count;
    const int total = min(2 * run, mine.count - a_first), begin = in_merge * elements_;
    const auto a = tile_.from(has_pair ? (block.thread() - in_merge) * elements_ : 0), b = a.from(run);
    if (has_pair) store_consecutive(a, begin, elements_, sorted);
    block.barrier();
    int a_begin = 0;
    if (has_pair) {
      a_begin = merge_path(compared(a, Order{}), run, compared(b, Order{}), total - run, begin, Order{});
      splits_.store(block.thread(), a_begin);
    }
    block.barrier();
    if (has_pair) {
      const bool last = in_merge == width - 1 || mine.share == mine.shares - 1;
      const int a_end = last ? run : splits_.load(block.thread() + 1);
      read_valley(sorted, elements_, a, a_begin, a_end, b, begin, min(int(elements_), total - begin),
                  Order{});
      bitonic_merge(sorted, elements_, Order{});
    }
    block.barrier();
  }

  /// Replaces positions by the values there. A barrier at the end.
  template <class Block>
  FATHOM_DEVICE
  void fetch_values(Block& block, const ConstListOf<Element>& input, const Moves& moves, bool active,
                    Sorted& sorted) const {
    fill(input.values, moves, [](const ValueOf<Element>& value, int) { return Element{{}, value}; });
    block.barrier();
    if (active) {
      FATHOM_UNROLL
      for (int i = 0; i < elements_; ++i) sorted[i].value = tile_.load(position_in(sorted[i])).value;
    }
    block.barrier();
  }

  FATHOM_DEVICE
  void write(const ListOf<Element>& output, const Moves& moves) const {
    FATHOM_UNROLL
    for (int first = 0; first < elements_; first += InFlight{})
      for_each(moves, first,
               [&](int, int at) { output.store(moves.source(at), tile_.load(moves.tile + at)); });
  }

  Threads threads_;
  Elements elements_;
  Shared<Element> tile_;
  Shared<int> splits_;
};

}  // namespace fathom
