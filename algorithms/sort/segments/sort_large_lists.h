// SPDX-License-Identifier: Apache-2.0
// The lists of a segmented sort that are larger than a block's tile: their tiles are sorted, and then merged,
// round by round.
#pragma once

#include <fathom/algorithms/sort/merge/runs.h>
#include <fathom/algorithms/sort/segments/large_lists.h>
#include <fathom/algorithms/sort/segments/sort_shares.h>

namespace fathom {

/// Sorts the large lists from `input` to `output`. The blocks, any number of them, take one step after
/// another: a tile that is sorted, or one that is merged from two runs of the round before. Steps are in the
/// order of rounds, and blocks take them by tickets: so what a step waits for is under way. Rounds of a list
/// alternate between `other` and `output`, in which the last one ends.
template <class Element, class LessThan, class Threads = Number, class Elements = Number>
struct SortLargeLists {
  static constexpr const char* header = "fathom/algorithms/sort/segments/sort_large_lists.h";

  using Sort = ShareSort<Element, LessThan, Threads, Elements>;
  using Tile = TileOf<Element>;

  ConstListOf<Element> input;
  ListOf<Element> output;
  ListOf<Element> other;
  Span<const Index> begins;  ///< of each list, and the end of the last
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
    const u32 steps = tiles * (large.totals.load(LargeLists::most_rounds) + 1);
    FATHOM_NO_UNROLL
    for (;;) {
      if (block.thread() == 0) ticket.store(0, large.totals.atomic_add_relaxed(LargeLists::tickets, 1u));
      block.barrier();
      const u32 step = ticket.load(0);
      block.barrier();
      if (step >= steps) {
        // With the last ticket: all blocks have read the totals.
        if (step == steps + u32(block.blocks()) - 1 && block.thread() < LargeLists::number_of_totals)
          large.totals.store(block.thread(), 0);
        return;
      }
      do_step(block, sort, splits, int(step / tiles), Index(step % tiles));
    }
  }

 private:
  /// Step 0 sorts a tile, step r merges it in round r.
  template <class Block>
  FATHOM_DEVICE
  void do_step(Block& block, const Sort& sort, const Shared<Index>& splits, int round, Index place) const {
    const int tile_size = threads_per_block * elements_per_thread;
    const TileOfBucket tile = large.tiles.load(place);
    const Index begin = begins.load(tile.parent), size = begins.load(Index(tile.parent) + 1) - begin;
    const Index tiles = ceil_div(size, Index(tile_size));
    const int rounds = LargeLists::rounds(tiles);
    if (round > rounds) return;
    const bool to_output = (rounds - round) % 2 == 0;
    const auto from = read_only((to_output ? other : output).from(begin));
    const auto to = (to_output ? output : other).from(begin);
    const auto steps_of_list = large.steps.from(place - Index(tile.number));
    const Index first = Index(tile.number) * tile_size;
    if (round == 0) {
      const int count = int(min(size - first, Index(tile_size)));
      const int shares = (count + elements_per_thread - 1) / elements_per_thread;
      ListShare mine;
      if (block.thread() < shares) mine = {0, count, shares, block.thread()};
      sort.sort(block, input.from(begin), to, mine, shares, [&] {
        return Moves{first, 0, block.thread(), threads_per_block, count};
      });
    } else {
      if (block.thread() == 0)
        while (Index(steps_of_list.load_acquire(0)) < tiles * round) block.sleep(nanoseconds_between_looks);
      block.barrier();
      sort.merge(block, from, to, part(block, from, first, Index(tile_size) << (round - 1), size, splits));
    }
    if (block.thread() == 0) block.atomic_add(steps_of_list, 0, 1u);
  }

  /// The tile at `first` of a list of `size` elements, whose runs are merged. Two warps search for where it
  /// begins and ends in them. All threads call it; a barrier inside.
  template <class Block>
  FATHOM_DEVICE
  PairTile part(Block& block, const ConstListOf<Element>& list, Index first, Index run, Index size,
                const Shared<Index>& splits) const {
    const RunPair runs = pair_around(first, run, size);
    const Index begin = first - runs.a_first;
    const int count = int(min(runs.count() - begin, Index(threads_per_block * elements_per_thread)));
    if (block.warp() < 2) {
      const Index split =
          split_by_warp(block, keys_of(list), runs, block.warp() == 0 ? begin : begin + count);
      if (block.lane() == 0) splits.store(block.warp(), split);
    }
    block.barrier();
    return PairTile::of(runs, first, begin, count, splits.load(0), splits.load(1));
  }

  /// merge_path() by a warp, whose lanes look at as many elements at a time: a fifth of the waits for memory.
  template <class Block>
  FATHOM_DEVICE
  static Index split_by_warp(Block& block, const Span<const KeyOf<Element>>& keys, const RunPair& runs,
                             Index diagonal) {
    const auto a = keys.from(runs.a_first), b = keys.from(runs.b_first);
    Index low = max(Index(0), diagonal - runs.b_count()), high = min(diagonal, runs.a_count());
    FATHOM_NO_UNROLL
    while (low < high) {
      const Index step = ceil_div(high - low, warp_width + 1);
      const Index at = low + (block.lane() + 1) * step - 1;
      const bool before = at < high && !compare(b.load(diagonal - 1 - at), a.load(at), LessThan{});
      low += count_ones(block.ballot(before)) * step;
      high = min(high, low + step - 1);
    }
    return low;
  }

  static constexpr int nanoseconds_between_looks = 200;
};

}  // namespace fathom
