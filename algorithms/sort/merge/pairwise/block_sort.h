// The base case of the pairwise mergesort (karsin2018 §4.1): every block sorts one tile.
#pragma once

#include <fathom/algorithms/sort/merge/merge_in_block.h>

namespace fathom {

/// Sorts each tile of threads × elements keys: first in registers, then by merges within the block. One block
/// per tile.
template <class Key, class LessThan, class Threads = Number, class Elements = Number>
struct BlockSort {
  static constexpr const char* header = "fathom/algorithms/sort/merge/pairwise/block_sort.h";

  Span<const Key> input;
  Span<Key> output;
  Index n;
  Threads threads_per_block;
  Elements elements_per_thread;

  static int shared_memory(int threads, int elements) {
    return shared_bytes<Key>(threads * elements) + shared_bytes<int>(threads);
  }

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const int tile_size = threads_per_block * elements_per_thread;
    const Index first = block.index() * tile_size;
    const int count = int(min<Index>(n - first, tile_size));
    const auto tile = block.template shared<Key>(tile_size);
    const auto splits = block.template shared<int>(threads_per_block);

    Registers<Key, Elements> keys(elements_per_thread);
    load_and_sort(block, input.from(first), count, keys);

    // Merges the runs of `width` threads; up to a warp, only the warp must wait.
    for (int width = 2; width <= threads_per_block; width *= 2) {
      const auto wait = [&] { width <= warp_width ? block.warp_barrier() : block.barrier(); };
      FATHOM_UNROLL
      for (int i = 0; i < elements_per_thread; ++i)
        tile.store(block.thread() * elements_per_thread + i, keys[i]);
      wait();
      merge_into_registers(keys, elements_per_thread, merge_task(tile, block.thread(), width, count), splits,
                           block.thread(), LessThan{}, wait);
      wait();
    }
    write_tile(block, keys, elements_per_thread, tile, output.from(first), count);
  }

 private:
  /// A full tile is read with consecutive lanes at consecutive addresses, since it does not matter which
  /// thread sorts which keys. In the last, partial tile each thread must take consecutive keys, so that the
  /// valid keys of all threads are a prefix of the tile.
  template <class Block>
  FATHOM_DEVICE
  void load_and_sort(Block& block, Span<const Key> tile, int count, Registers<Key, Elements>& keys) const {
    if (count == threads_per_block * elements_per_thread) {
      FATHOM_UNROLL
      for (int i = 0; i < elements_per_thread; ++i)
        keys[i] = tile.load(block.thread() + i * threads_per_block);
    } else {
      const int begin = block.thread() * elements_per_thread;
      if (begin >= count) return;
      Key largest = tile.load(begin);
      FATHOM_UNROLL
      for (int i = 0; i < elements_per_thread; ++i) {
        if (begin + i < count) {
          keys[i] = tile.load(begin + i);
          if (compare(largest, keys[i], LessThan{})) largest = keys[i];
        }
      }
      FATHOM_UNROLL
      for (int i = 0; i < elements_per_thread; ++i)
        if (begin + i >= count) keys[i] = largest;
    }
    odd_even_merge_sort(keys, elements_per_thread, LessThan{});
  }

  FATHOM_DEVICE
  MergeTask<Key> merge_task(Shared<Key> tile, int thread, int width, int count) const {
    const int in_merge = thread & (width - 1);
    const int run = width / 2 * elements_per_thread;
    const int a_first = min((thread - in_merge) * elements_per_thread, count);
    const int b_first = min(a_first + run, count);
    const int b_end = min(b_first + run, count);
    return {tile.from(a_first),
            tile.from(b_first),
            b_first - a_first,
            b_end - b_first,
            in_merge * elements_per_thread,
            in_merge == width - 1};
  }
};

}  // namespace fathom
