// SPDX-License-Identifier: Apache-2.0
// The lists of a segmented sort that are larger than a tile, found by one launch and sorted by the next ones.
#pragma once

#include <fathom/algorithms/sort/merge/runs.h>

namespace fathom {

/// A tile of a large list, of `tile_size` elements but for the last.
struct LargeTile {
  Index list_first, list_end;  ///< the list's elements
  u32 number;                  ///< of the tile in its list
  u32 rounds;                  ///< of merges, after which the list is one run

  FATHOM_DEVICE
  u32 tiles_of_list(int tile_size) const { return u32(ceil_div(list_end - list_first, Index(tile_size))); }
  FATHOM_DEVICE
  Index first(int tile_size) const { return list_first + Index(number) * tile_size; }
  FATHOM_DEVICE
  int count(int tile_size) const { return int(min(list_end - first(tile_size), Index(tile_size))); }
  /// The runs of so many elements that a round merges around this tile.
  FATHOM_DEVICE
  RunPair runs(Index run, int tile_size) const {
    const RunPair in_list = pair_around(Index(number) * tile_size, run, list_end - list_first);
    return {list_first + in_list.a_first, list_first + in_list.b_first, list_first + in_list.end};
  }
};

/// The tiles of the large lists, in any order but those of a list one behind the other, and how far their
/// merges are. A run of the sort leaves `totals` as it finds them, which is 0.
struct LargeLists {
  Span<LargeTile> tiles;  ///< empty if there cannot be any
  Span<u32> merged;       ///< tiles of all rounds so far of the list whose first tile is at this place
  Span<u32> totals;       ///< see Total

  enum Total { tile_count, most_rounds, sort_tickets, merge_tickets, number_of_totals };

  /// The next one of `sort_tickets` or `merge_tickets`.
  FATHOM_DEVICE
  u32 take_ticket(Total tickets) const { return totals.atomic_add_relaxed(tickets, 1u); }
  FATHOM_DEVICE
  bool has_room() const { return tiles.count > 0; }

  /// Lists the tiles of the lane's list, if its `size` is not 0. All lanes of a warp call it.
  template <class Block>
  FATHOM_DEVICE
  void add(Block& block, Index first, Index size, int tile_size) const {
    const u32 count = u32(ceil_div(size, Index(tile_size))), rounds = rounds_of(count);
    u32 place = 0;
    if (count > 0) {
      place = totals.atomic_add_relaxed(tile_count, count);
      totals.atomic_max_relaxed(most_rounds, rounds);
      merged.store(place, 0);
    }
    FATHOM_NO_UNROLL
    for (u32 lanes = block.ballot(count > 0); lanes != 0; lanes &= lanes - 1) {
      const int lane = count_ones((lanes & -lanes) - 1);
      const Index begin = block.shuffle(first, lane), end = begin + block.shuffle(size, lane);
      const u32 of_list = block.shuffle(count, lane), of_rounds = block.shuffle(rounds, lane);
      const auto list = tiles.from(block.shuffle(place, lane));
      FATHOM_NO_UNROLL
      for (u32 i = u32(block.lane()); i < of_list; i += warp_width) list.store(i, {begin, end, i, of_rounds});
    }
  }

 private:
  /// ⌈log₂⌉
  FATHOM_DEVICE
  static u32 rounds_of(u32 tiles) {
    u32 bits = tiles - 1;
    FATHOM_UNROLL
    for (int distance = 1; distance < 32; distance *= 2) bits |= bits >> distance;
    return u32(count_ones(bits));
  }
};

}  // namespace fathom
