// SPDX-License-Identifier: Apache-2.0
// The base case of the bitonic sort (agpu2015): every block sorts one tile.
#pragma once

#include <fathom/algorithms/block/exchange.h>
#include <fathom/algorithms/block/records.h>

namespace fathom {

/// Sorts each tile of threads × elements elements, keys or records, by Batcher's bitonic sort: first those of
/// a thread, then across the block. Threads and elements are powers of two. One block per tile. LessThan
/// orders keys.
template <class Element, class LessThan, class Threads = Number, class Elements = Number>
struct BitonicSortTiles {
  static constexpr const char* header = "fathom/algorithms/sort/merge/bitonic/bitonic_sort_tiles.h";

  using Order = OrderOf<Element, LessThan>;

  ConstListOf<Element> input;
  ListOf<Element> output;
  Index n;
  Threads threads_per_block;
  Elements elements_per_thread;

  static int shared_memory(int threads, int elements) {
    return shared_memory_of_tile<Element>(threads, elements);
  }

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const auto range = TileRange::number(block.index(), threads_per_block * elements_per_thread, n);
    const auto consecutive = tile_layout(block.thread(), elements_per_thread, 0);
    const auto coalesced = tile_layout(block.thread(), elements_per_thread, log2_of(threads_per_block));

    Registers<Element, Elements> keys(elements_per_thread);
    const auto scratch = block.template shared<Element>(block.warps());
    // It does not matter which thread sorts which keys of a whole tile.
    read_tile_in_layout(block, input.from(range.first), range.count, range.size, scratch, coalesced,
                        consecutive, keys, Order{});
    bitonic_sort(keys, elements_per_thread, Order{});

    TileExchange<Element, Elements, Block> exchange(block, elements_per_thread, consecutive);
    FATHOM_NO_UNROLL
    for (int steps = log2_of(elements_per_thread) + 1; steps <= log2_of(range.size); ++steps)
      exchange.merge_runs(keys, steps, Order{});
    exchange.move(keys, coalesced);
    write_tile_in_layout(output.from(range.first), range.count, range.size, coalesced, keys);
  }
};

}  // namespace fathom
