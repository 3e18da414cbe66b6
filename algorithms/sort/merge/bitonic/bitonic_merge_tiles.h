// SPDX-License-Identifier: Apache-2.0
// The last steps of a merge of the bitonic sort (agpu2015): those within a tile.
#pragma once

#include <fathom/algorithms/block/exchange.h>

namespace fathom {

/// Sorts each tile of threads × elements keys, which is bitonic, by the last log₂(tile) steps of a merge. One
/// block per tile.
template <class Key, class LessThan, class Threads = Number, class Elements = Number>
struct BitonicMergeTiles {
  static constexpr const char* header = "fathom/algorithms/sort/merge/bitonic/bitonic_merge_tiles.h";

  Span<Key> keys_in_place;
  Index n;
  Threads threads_per_block;
  Elements elements_per_thread;

  static int shared_memory(int threads, int elements) {
    return shared_memory_of_tile<Key>(threads, elements);
  }

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const auto range = TileRange::number(block.index(), threads_per_block * elements_per_thread, n);
    const Span<Key> tile = keys_in_place.from(range.first);
    const auto coalesced = tile_layout(block.thread(), elements_per_thread, log2_of(threads_per_block));

    Registers<Key, Elements> keys(elements_per_thread);
    const auto scratch = block.template shared<Key>(block.warps());
    read_tile_in_layout(block, tile, range.count, range.size, scratch, coalesced, coalesced, keys,
                        LessThan{});
    half_cleaners(keys, elements_per_thread, log2_of(elements_per_thread), LessThan{});

    TileExchange<Key, Elements, Block> exchange(block, elements_per_thread, coalesced);
    exchange.finish_merge(keys, log2_of(threads_per_block), LessThan{});
    exchange.move(keys, coalesced);
    write_tile_in_layout(tile, range.count, range.size, coalesced, keys);
  }
};

}  // namespace fathom
