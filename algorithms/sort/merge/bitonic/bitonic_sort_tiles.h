// The base case of the bitonic sort (agpu2015): every block sorts one tile.
#pragma once

#include <fathom/algorithms/sort/merge/bitonic/read_tile.h>

namespace fathom {

/// Sorts each tile of threads × elements keys by Batcher's bitonic sort: first the keys of a thread, then
/// across the block. Threads and elements are powers of two. One block per tile.
template <class Key, class LessThan, class Threads = Number, class Elements = Number>
struct BitonicSortTiles {
  static constexpr const char* header = "fathom/algorithms/sort/merge/bitonic/bitonic_sort_tiles.h";

  Span<const Key> input;
  Span<Key> output;
  Index n;
  Threads threads_per_block;
  Elements elements_per_thread;

  static int shared_memory(int threads, int elements) {
    return TileExchange<Key, Elements, int>::shared_memory(threads * elements, elements) +
           shared_bytes<Key>(threads / warp_width);
  }

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const int tile_size = threads_per_block * elements_per_thread;
    const Index first = block.index() * tile_size;
    const int count = int(min<Index>(n - first, tile_size));
    const auto consecutive = tile_layout(block.thread(), elements_per_thread, 0);
    const auto coalesced = tile_layout(block.thread(), elements_per_thread, log2_of(threads_per_block));

    Registers<Key, Elements> keys(elements_per_thread);
    const auto scratch = block.template shared<Key>(block.warps());
    if (count == tile_size) {  // it does not matter which thread sorts which keys
      FATHOM_UNROLL
      for (int i = 0; i < elements_per_thread; ++i) keys[i] = input.load(first + coalesced.index(i));
    } else {
      read_partial_tile(block, input.from(first), count, scratch, consecutive, keys, LessThan{});
    }
    bitonic_sort(keys, elements_per_thread, LessThan{});

    TileExchange<Key, Elements, Block> exchange(block, elements_per_thread, consecutive);
    FATHOM_NO_UNROLL
    for (int steps = log2_of(elements_per_thread) + 1; steps <= log2_of(tile_size); ++steps)
      exchange.merge_runs(keys, steps, LessThan{});
    exchange.move(keys, coalesced);
    write_tile_in_layout(output.from(first), count, tile_size, coalesced, keys);
  }
};

}  // namespace fathom
