// SPDX-License-Identifier: Apache-2.0
// The lists of a segmented sort that are larger than a block's tile: their sorted tiles are merged, round by
// round.
#pragma once

#include <fathom/algorithms/sort/segments/large_lists.h>
#include <fathom/algorithms/sort/segments/sort_shares.h>

namespace fathom {

/// Merges the tiles of the large lists. The blocks, any number of them, take one step after another, a tile
/// that is merged from two runs of the round before. Steps are in the order of rounds, and blocks take them
/// by tickets: so what a step waits for is under way. Rounds of a list alternate between `other` and
/// `output`, in which the last one ends.
template <class Element, class LessThan, class Threads = Number, class Elements = Number>
struct MergeLargeLists {
  static constexpr const char* header = "fathom/algorithms/sort/segments/merge_large_lists.h";

  using Sort = ShareSort<Element, LessThan, Threads, Elements>;

  ListOf<Element> output;
  ListOf<Element> other;
  LargeLists large;
  Threads threads_per_block;
  Elements elements_per_thread;

  static constexpr bool blocks_communicate = true;
  static constexpr int least_resident_blocks() { return Sort::least_resident_blocks(); }
  static int shared_memory(int threads, int elements) {
    return Sort::shared_memory(threads, elements) + shared_bytes<u32>(1) + shared_bytes<Index>(2);
  }

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const Sort sort(block, threads_per_block, elements_per_thread);
    const auto ticket = block.template shared<u32>(1);
    const auto splits = block.template shared<Index>(2);
    const u32 tiles = large.totals.load(LargeLists::tile_count);
    if (tiles == 0) return;
    const u32 steps = tiles * large.totals.load(LargeLists::most_rounds);
    if (block.thread() == 0) ticket.store(0, take_ticket());
    FATHOM_NO_UNROLL
    for (;;) {
      block.barrier();
      const u32 step = ticket.load(0);
      if (step >= steps) {
        // With the last ticket: all blocks have read the totals.
        if (step == steps + u32(block.blocks()) - 1 && block.thread() < LargeLists::number_of_totals)
          large.totals.store(block.thread(), 0);
        return;
      }
      // The next ticket arrives during the step.
      const u32 next = block.thread() == 0 ? take_ticket() : 0;
      merge(block, sort, splits, int(step / tiles), Index(step % tiles));
      if (block.thread() == 0) ticket.store(0, next);
    }
  }

 private:
  FATHOM_DEVICE
  u32 take_ticket() const { return large.totals.atomic_add_relaxed(LargeLists::tickets, 1u); }

  template <class Block>
  FATHOM_DEVICE
  void merge(Block& block, const Sort& sort, const Shared<Index>& splits, int round, Index place) const {
    const int tile_size = threads_per_block * elements_per_thread;
    const LargeTile tile = large.tiles.load(place);
    const auto merged = large.merged.from(place - Index(tile.number));
    const bool has_step = u32(round) < tile.rounds;
    if (block.thread() == 0 && has_step)
      while (merged.load_acquire(0) < tile.tiles_of_list(tile_size) * u32(round))
        block.sleep(nanoseconds_between_looks);
    block.barrier();
    if (!has_step) return;
    const bool to_output = (tile.rounds - u32(round)) % 2 == 1;
    const auto from = read_only(to_output ? other : output);
    const RunPair runs = tile.runs(Index(tile_size) << round, tile_size);
    const Index begin = tile.first(tile_size) - runs.a_first;
    const int count = tile.count(tile_size);
    if (block.warp() < 2) {
      const auto keys = keys_of(from);
      const Index split =
          merge_path_by_warp(block, keys.from(runs.a_first), runs.a_count(), keys.from(runs.b_first),
                             runs.b_count(), block.warp() == 0 ? begin : begin + count, LessThan{});
      if (block.lane() == 0) splits.store(block.warp(), split);
    }
    block.barrier();
    sort.merge(block, from, to_output ? output : other,
               PairTile::of(runs, tile.first(tile_size), begin, count, splits.load(0), splits.load(1)));
    if (block.thread() == 0) block.atomic_add(merged, 0, 1u);
  }

  static constexpr int nanoseconds_between_looks = 200;
};

}  // namespace fathom
