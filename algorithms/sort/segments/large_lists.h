// SPDX-License-Identifier: Apache-2.0
// The lists of a segmented sort that are larger than a tile, found by one launch and sorted by the next.
#pragma once

#include <fathom/algorithms/sort/distribution/splitter/buckets.h>
#include <fathom/algorithms/sort/merge/runs.h>

namespace fathom {

/// A tile of a large list.
struct LargeTile {
  Index list_first, list_end;  ///< the list's elements
  Index first;                 ///< element
  int count;                   ///< of elements: fewer than a tile's at the end of the list
  Index place_of_list;         ///< of its first tile, among all tiles
  u32 tiles;                   ///< of the list
  int rounds;                  ///< of merges, after which they are one run

  /// The runs of so many elements that a round merges around this tile.
  FATHOM_DEVICE
  RunPair runs(Index run) const {
    const RunPair in_list = pair_around(first - list_first, run, list_end - list_first);
    return {list_first + in_list.a_first, list_first + in_list.b_first, list_first + in_list.end};
  }
};

/// The tiles of the large lists, in any order but those of a list one behind the other, and how far their
/// merges are. A run of the sort leaves `totals` as it finds them, which is 0.
struct LargeLists {
  Span<TileOfBucket> tiles;  ///< of a list; empty if there cannot be any
  Span<u32> merged;          ///< tiles of all rounds so far of the list whose first tile is at this place
  Span<u32> totals;          ///< see Total

  enum Total { tile_count, most_rounds, tickets, number_of_totals };

  FATHOM_DEVICE
  bool has_room() const { return tiles.count > 0; }

  /// Rounds of merges, after which a list of so many tiles is one run.
  FATHOM_DEVICE
  static int rounds(Index tiles_of_list) {
    int rounds = 0;
    while (Index(1) << rounds < tiles_of_list) ++rounds;
    return rounds;
  }

  /// The tile at a place of the list of tiles.
  FATHOM_DEVICE
  LargeTile tile(Index place, const Span<const Index>& begins, int tile_size) const {
    const TileOfBucket tile = tiles.load(place);
    const Index begin = begins.load(tile.parent), end = begins.load(Index(tile.parent) + 1);
    const Index first = begin + Index(tile.number) * tile_size,
                of_list = ceil_div(end - begin, Index(tile_size));
    return {begin,
            end,
            first,
            int(min(end - first, Index(tile_size))),
            place - Index(tile.number),
            u32(of_list),
            rounds(of_list)};
  }

  /// Lists the tiles of the lane's list, if its `size` is not 0. All lanes of a warp call it.
  template <class Block>
  FATHOM_DEVICE
  void add(Block& block, Index list, Index size, int tile_size) const {
    const Index count = ceil_div(size, Index(tile_size));
    u32 first = 0;
    if (count > 0) {
      first = totals.atomic_add_relaxed(tile_count, u32(count));
      totals.atomic_max_relaxed(most_rounds, u32(rounds(count)));
      merged.store(first, 0);
    }
    FATHOM_NO_UNROLL
    for (u32 lanes = block.ballot(count > 0); lanes != 0; lanes &= lanes - 1) {
      const int lane = count_ones((lanes & -lanes) - 1);
      const u32 place = block.shuffle(first, lane), of = block.shuffle(u32(list), lane);
      const Index tiles_of_list = block.shuffle(count, lane);
      FATHOM_NO_UNROLL
      for (Index i = block.lane(); i < tiles_of_list; i += warp_width) tiles.store(place + i, {of, u32(i)});
    }
  }
};

}  // namespace fathom
