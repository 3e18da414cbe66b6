// The base case of the pairwise mergesort (karsin2018 §4.1): every block sorts one tile.
#pragma once

#include <fathom/algorithms/sort/merge/merge_in_block.h>

namespace fathom {

/// Sorts each tile of threads × elements elements: first in registers, then by merges within the block. One
/// block per tile. LessThan orders keys.
template <class Element, class LessThan, class Stability = Unstable, class Threads = Number,
          class Elements = Number>
struct BlockSort {
  static constexpr const char* header = "fathom/algorithms/sort/merge/pairwise/block_sort.h";

  using Item = SortedBy<Element, Stability>;
  using Order = OrderOf<Element, LessThan>;

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
    const int tile_size = threads_per_block * elements_per_thread;
    const Index first = block.index() * tile_size;
    const int count = int(min<Index>(n - first, tile_size));
    const auto tile = block.template shared<Element>(tile_size);
    const auto splits = block.template shared<int>(threads_per_block);

    Registers<Item, Elements> sorted(elements_per_thread);
    load_and_sort(block, input.from(first), count, tile, sorted);

    // Merges the runs of `width` threads; up to a warp, only the warp must wait.
    for (int width = 2; width <= threads_per_block; width *= 2) {
      const auto wait = [&] { width <= warp_width ? block.warp_barrier() : block.barrier(); };
      FATHOM_UNROLL
      for (int i = 0; i < elements_per_thread; ++i)
        tile.store(block.thread() * elements_per_thread + i, without_rank(sorted[i]));
      wait();
      merge_share(sorted, elements_per_thread, tile, share_of_thread(block.thread(), width, count), splits,
                  block.thread(), Order{}, wait);
      wait();
    }
    write_tile(block, sorted, elements_per_thread, tile, output.from(first), count);
  }

 private:
  /// A full tile is read with consecutive lanes at consecutive addresses, since it does not matter which
  /// thread sorts which elements. In the last, partial tile each thread must take consecutive elements, so
  /// that the valid ones of all threads are a prefix of the tile; in a stable sort, always.
  template <class Block>
  FATHOM_DEVICE
  void load_and_sort(Block& block, ConstListOf<Element> source, int count, Shared<Element> tile,
                     Registers<Item, Elements>& sorted) const {
    if (count == threads_per_block * elements_per_thread) {
      FATHOM_UNROLL
      for (int i = 0; i < elements_per_thread; ++i)
        sorted[i] = with_rank<Item>(source.load(block.thread() + i * threads_per_block), i);
      if constexpr (is_ranked<Item>) {
        FATHOM_UNROLL
        for (int i = 0; i < elements_per_thread; ++i)
          tile.store(block.thread() + i * threads_per_block, without_rank(sorted[i]));
        block.barrier();
        FATHOM_UNROLL
        for (int i = 0; i < elements_per_thread; ++i)
          sorted[i] = with_rank<Item>(tile.load(block.thread() * elements_per_thread + i), i);
      }
    } else {
      const int begin = block.thread() * elements_per_thread;
      if (begin >= count) return;
      Element largest = source.load(begin);
      FATHOM_UNROLL
      for (int i = 0; i < elements_per_thread; ++i) {
        if (begin + i < count) {
          const Element element = source.load(begin + i);
          sorted[i] = with_rank<Item>(element, i);
          if (compare(largest, element, Order{})) largest = element;
        }
      }
      FATHOM_UNROLL
      for (int i = 0; i < elements_per_thread; ++i)
        if (begin + i >= count) sorted[i] = with_rank<Item>(largest, i);
    }
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
