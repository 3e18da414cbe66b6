// SPDX-License-Identifier: Apache-2.0
// The lists of a segmented sort that are larger than a block's tile: their sorted tiles are merged, round by
// round.
#pragma once

#include <fathom/algorithms/block/merge_path.h>
#include <fathom/algorithms/sort/merge/merge_pair.h>
#include <fathom/algorithms/sort/segments/large_lists.h>

namespace fathom {

/// Merges the tiles of the large lists. The blocks, any number of them, take one step after another: some
/// neighbouring tiles, each of which is merged from two runs of the round before. Steps are in the order of
/// rounds, and blocks take them by tickets: so what a step waits for is under way. Rounds of a list alternate
/// between `other` and `output`, in which the last one ends.
///
/// At the beginning of a step, two warps for each of its tiles find what it is merged from. Ahead of that,
/// the last warp announces that the step before is finished, and takes a ticket. All of them wait for memory:
/// so a step has several tiles, if there are enough of them for all blocks.
template <class Element, class LessThan, class Threads = Number, class Elements = Number>
struct MergeLargeLists {
  static constexpr const char* header = "fathom/algorithms/sort/segments/merge_large_lists.h";

  using Merge = PairMerge<Element, LessThan, Stable>;

  ListOf<Element> output;
  ListOf<Element> other;
  LargeLists large;
  Threads threads_per_block;
  Elements elements_per_thread;

  static constexpr bool blocks_communicate = true;
  /// A thread has its elements and some registers more. With more than 32 warps, sorts of u32 take longer
  /// (data/h200-segments/trials.txt).
  static constexpr int least_resident_blocks() {
    return min(32 * warp_width / Threads{},
               blocks_with_registers(Threads{}, Elements{} * int(sizeof(Element)) / 4 + 30));
  }
  static int shared_memory(int threads, int elements) {
    return Merge::shared_memory(threads, elements) + shared_bytes<u32>(1) +
           shared_bytes<Index>(most_tiles * number_of_facts);
  }

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const Merge merge(block, threads_per_block, elements_per_thread);
    const auto ticket = block.template shared<u32>(1);
    const auto facts = block.template shared<Index>(most_tiles * number_of_facts);
    const u32 tiles = large.totals.load(LargeLists::tile_count);
    if (tiles == 0) return;
    const u32 for_all_blocks = tiles / (2 * u32(block.blocks()));
    const u32 tiles_of_step = max(1u, min(u32(min(most_tiles, block.warps() / 2)), for_all_blocks));
    const u32 steps_of_round = ceil_div(tiles, tiles_of_step);
    const u32 steps = steps_of_round * large.totals.load(LargeLists::most_rounds);
    const bool announces = block.warp() == block.warps() - 1;
    if (announces && block.lane() == 0) ticket.store(0, large.take_ticket(LargeLists::merge_tickets));
    u32 merged = nowhere;  // each lane has a tile of the step before
    FATHOM_NO_UNROLL
    for (;;) {
      block.barrier();
      const u32 number = ticket.load(0);
      if (announces && merged != nowhere) block.atomic_add(large.merged, merged, 1u);
      if (number >= steps) {
        // With the last ticket: all blocks have read the totals.
        if (number == steps + u32(block.blocks()) - 1 && block.thread() < LargeLists::number_of_totals)
          large.totals.store(block.thread(), 0);
        return;
      }
      const u32 next = announces && block.lane() == 0 ? large.take_ticket(LargeLists::merge_tickets) : 0;
      const u32 tile = u32(block.warp()) / 2;
      if (tile < tiles_of_step)
        find(block, facts.from(int(tile) * number_of_facts), number / steps_of_round,
             number % steps_of_round * tiles_of_step + tile, tiles);
      block.barrier();
      if (announces && block.lane() == 0) ticket.store(0, next);
      if (announces)
        merged = u32(block.lane()) < tiles_of_step ? u32(facts.load(block.lane() * number_of_facts + list))
                                                   : nowhere;
      FATHOM_NO_UNROLL
      for (int i = 0; i < int(tiles_of_step); ++i) {
        block.barrier();
        const auto of_tile = facts.from(i * number_of_facts);
        if (u32(of_tile.load(list)) == nowhere) continue;
        const bool to_output = of_tile.load(ends_in_output) != 0;
        const int a_count = int(of_tile.load(a_end) - of_tile.load(a_begin));
        Registers<Element, Elements> sorted(elements_per_thread);
        merge(block, threads_per_block, elements_per_thread, read_only(one_of(to_output, other, output)),
              PairTile{int(of_tile.load(count)), a_count, of_tile.load(a_begin),
                       of_tile.load(b_begin) - a_count},
              sorted);
        write_tile_in_sectors(block, sorted, elements_per_thread, merge.tile(),
                              one_of(of_tile.load(ends_in_output) != 0, output, other), of_tile.load(first),
                              int(of_tile.load(count)));
      }
    }
  }

 private:
  static constexpr int most_tiles = 4;  ///< of a step

  /// These facts of each tile of a step are in shared memory, where they take no registers.
  enum Fact { list, a_begin, a_end, b_begin, first, count, ends_in_output, number_of_facts };
  /// This stands for the list's first tile if there is no tile, or the list was sorted in an earlier round.
  static constexpr u32 nowhere = ~0u;

  /// Finds what a tile of a round is merged from, by two warps, when its runs have been merged.
  template <class Block>
  FATHOM_DEVICE
  void find(Block& block, Shared<Index> facts, u32 round, u32 place, u32 tiles) const {
    const LargeTile tile = large.tiles.load(Index(min(place, tiles - 1)));
    const bool begins = block.warp() % 2 == 0;
    if (place >= tiles || round >= tile.rounds) {
      if (begins && block.lane() == 0) facts.store(list, nowhere);
      return;
    }
    const int tile_size = threads_per_block * elements_per_thread;
    const u32 first_of_list = place - tile.number;
    if (block.lane() == 0)
      while (large.merged.load_acquire(first_of_list) < tile.tiles_of_list(tile_size) * round)
        block.sleep(nanoseconds_between_looks);
    block.warp_barrier();
    const bool to_output = (tile.rounds - round) % 2 == 1;
    const auto keys = keys_of(read_only(one_of(to_output, other, output)));
    const RunPair runs = tile.runs(Index(tile_size) << round, tile_size);
    const int elements = tile.count(tile_size);
    const Index begin = tile.first(tile_size) - runs.a_first, diagonal = begins ? begin : begin + elements;
    const Index from_a = merge_path_by_warp(block, keys.from(runs.a_first), runs.a_count(),
                                            keys.from(runs.b_first), runs.b_count(), diagonal, LessThan{});
    if (block.lane() > 0) return;
    facts.store(begins ? a_begin : a_end, runs.a_first + from_a);
    if (!begins) return;
    facts.store(list, first_of_list);
    facts.store(b_begin, runs.b_first + begin - from_a);
    facts.store(first, tile.first(tile_size));
    facts.store(count, elements);
    facts.store(ends_in_output, to_output);
  }

  static constexpr int nanoseconds_between_looks = 200;
};

}  // namespace fathom
