// SPDX-License-Identifier: Apache-2.0
// BlockSort with merges that have no bank conflicts, for any input.
#pragma once

#include <fathom/algorithms/block/conflict_free_merge.h>
#include <fathom/algorithms/block/load.h>

namespace fathom {

/// Sorts each tile of threads × elements elements, elements a power of two up to 32. One block per tile.
/// LessThan orders keys.
template <class Element, class LessThan, class Threads = Number, class Elements = Number>
struct ConflictFreeBlockSort {
  static constexpr const char* header = "fathom/algorithms/sort/merge/pairwise/conflict_free_block_sort.h";

  using Order = OrderOf<Element, LessThan>;

  ConstListOf<Element> input;
  ListOf<Element> output;
  Index n;
  Threads threads_per_block;
  Elements elements_per_thread;

  static int shared_memory(int threads, int elements) {
    return shared_bytes<Element>(padded<Element>(threads * elements, elements)) + shared_bytes<int>(threads);
  }

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const auto range = TileRange::number(block.index(), threads_per_block * elements_per_thread, n);
    const auto tile = block.template shared<Element>(padded<Element>(range.size, elements_per_thread));
    const auto splits = block.template shared<int>(threads_per_block);

    Registers<Element, Elements> sorted(elements_per_thread);
    load(block, input.from(range.first), range.count, sorted);
    odd_even_merge_sort(sorted, elements_per_thread, Order{});

    // Merges the runs of `width` threads; up to a warp, only the warp must wait.
    for (int width = 2; width <= threads_per_block; width *= 2) {
      const auto wait = [&] { width <= warp_width ? block.warp_barrier() : block.barrier(); };
      const int in_region = block.thread() & (width - 1);
      const int region = (block.thread() - in_region) * elements_per_thread,
                length = width * elements_per_thread;
      const bool in_a = in_region < width / 2;
      const int own = block.thread() * elements_per_thread;
      // A thread of list b stores where its mirror image in b would.
      const int at = in_a ? own : 2 * region + length + length / 2 - 1 - own;
      store_share(sorted, elements_per_thread, tile, at, in_a ? 1 : -1, range.count - own);
      wait();
      const int a_count = min(max(range.count - region, 0), length / 2);
      const int b_count = min(max(range.count - region - length / 2, 0), length / 2);
      merge_region(sorted, elements_per_thread, tile,
                   {region, length, a_count, b_count, in_region, in_region == width - 1}, splits,
                   block.thread(), Order{}, wait);
      wait();
    }
    write_padded_tile(block, sorted, elements_per_thread, tile, output.from(range.first), range.count);
  }

 private:
  /// Reads as BlockSort does: a full tile with consecutive lanes at consecutive addresses, and of the last,
  /// partial one consecutive elements per thread.
  template <class Block>
  FATHOM_DEVICE
  void load(Block& block, ConstListOf<Element> source, int count,
            Registers<Element, Elements>& loaded) const {
    if (count == threads_per_block * elements_per_thread)
      return load_strided(loaded, elements_per_thread, block.thread(), threads_per_block,
                          [&](int at) { return source.load(at); });
    const int begin = block.thread() * elements_per_thread;
    if (begin >= count) return;
    Element largest = source.load(begin);
    FATHOM_UNROLL
    for (int i = 0; i < elements_per_thread; ++i) {
      loaded[i] = largest;
      if (begin + i < count) loaded[i] = source.load(begin + i);
      if (compare(largest, loaded[i], Order{})) largest = loaded[i];
    }
  }
};

}  // namespace fathom
