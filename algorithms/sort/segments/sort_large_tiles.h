// SPDX-License-Identifier: Apache-2.0
// The first step for the lists of a segmented sort that are larger than a block's tile: their tiles are
// sorted.
#pragma once

#include <fathom/algorithms/sort/merge/pairwise/sort_tile.h>
#include <fathom/algorithms/sort/segments/large_lists.h>

namespace fathom {

/// Sorts each tile of the large lists from `input` to where the merges of its list begin. Any number of
/// blocks, which take one tile after another by tickets, so that none has many when others have ended.
template <class Element, class LessThan, class Threads = Number, class Elements = Number>
struct SortLargeTiles {
  static constexpr const char* header = "fathom/algorithms/sort/segments/sort_large_tiles.h";

  using Sort = TileSort<Element, LessThan, Stable, Threads, Elements>;

  ConstListOf<Element> input;
  ListOf<Element> output;
  ListOf<Element> other;
  LargeLists large;
  Threads threads_per_block;
  Elements elements_per_thread;

  static constexpr bool blocks_communicate = true;
  static constexpr int least_resident_blocks() {
    return blocks_with_registers(Threads{}, Elements{} * int(sizeof(Element)) / 4 + 30);
  }
  static int shared_memory(int threads, int elements) {
    return Sort::shared_memory(threads, elements) + shared_bytes<u32>(1);
  }

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const Sort sort(block, threads_per_block, elements_per_thread);
    const auto ticket = block.template shared<u32>(1);
    const int tile_size = threads_per_block * elements_per_thread;
    const u32 tiles = large.totals.load(LargeLists::tile_count);
    if (tiles == 0) return;
    if (block.thread() == 0) ticket.store(0, large.take_ticket(LargeLists::sort_tickets));
    FATHOM_NO_UNROLL
    for (;;) {
      block.barrier();
      const u32 place = ticket.load(0);
      if (place >= tiles) return;
      // The next ticket arrives while the tile is sorted.
      const u32 next = block.thread() == 0 ? large.take_ticket(LargeLists::sort_tickets) : 0;
      const LargeTile tile = large.tiles.load(Index(place));
      const int count = tile.count(tile_size);
      Registers<Element, Elements> sorted(elements_per_thread);
      sort(block, input.from(tile.first(tile_size)), count, sorted);
      if (block.thread() == 0) ticket.store(0, next);
      write_tile_in_sectors(block, sorted, elements_per_thread, sort.tile(),
                            one_of(tile.rounds % 2 == 0, output, other), tile.first(tile_size), count);
    }
  }
};

}  // namespace fathom
