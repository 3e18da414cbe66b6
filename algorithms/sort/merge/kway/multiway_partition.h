// SPDX-License-Identifier: Apache-2.0
// Before a pass that merges K runs at a time: where each tile of its output begins in the runs.
#pragma once

#include <fathom/algorithms/block/multiway_select.h>

namespace fathom {

/// K neighbouring sorted runs that a pass merges into one; at the end of the data, later runs may be shorter
/// or empty.
struct RunGroup {
  Index first, run, end;  ///< of the group; `run` is the length of each run but the last

  FATHOM_DEVICE
  Index begin_of(int list) const { return min(first + list * run, end); }
  FATHOM_DEVICE
  Index count_of(int list) const { return min(first + (list + 1) * run, end) - begin_of(list); }
};

/// A tile of the output of a pass: elements [begin, begin + count) of what its group of runs is merged into.
/// Tiles do not cross groups, whose last tiles may therefore be shorter.
struct GroupTile {
  RunGroup group;
  Index begin;
  int count;  ///< ≤ 0 for tiles beyond the data
  bool last;  ///< of its group

  FATHOM_DEVICE
  static GroupTile number(Index tile, Index n, Index run, int ways, int tile_size) {
    const Index tiles_of_group = ceil_div(run * ways, tile_size);
    const Index first = tile / tiles_of_group * run * ways;
    const RunGroup group{first, run, max(first, min(first + run * ways, n))};
    const Index begin = tile % tiles_of_group * tile_size, left = group.end - first - begin;
    return {group, begin, int(min<Index>(left, tile_size)), left <= tile_size};
  }
};

/// Tiles of a pass, with those of incomplete groups.
inline Index tiles_of_pass(Index n, Index run, int ways, int tile_size) {
  const Index group = run * ways;
  return n / group * ceil_div(group, tile_size) + ceil_div(n % group, tile_size);
}

/// splits[K·i + k] = how many elements of run k of its group come before tile i of the output; equal elements
/// come from the earlier run first. K neighbouring lanes per tile, one per run.
template <class Key, class LessThan, class Ways = Number>
struct MultiwayPartition {
  static constexpr const char* header = "fathom/algorithms/sort/merge/kway/multiway_partition.h";

  Span<const Key> input;
  Span<Index> splits;
  Index n;
  Index run;
  int tile_size;
  Ways ways;

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const Index number = (block.index() * block.threads() + block.thread()) / ways;
    const int k = block.lane() % ways;
    const GroupTile tile = GroupTile::number(number, n, run, ways, tile_size);
    const bool in_data = tile.count > 0;
    const MultiwaySelect<Key, LessThan, Ways> select{input.from(in_data ? tile.group.begin_of(k) : 0),
                                                     in_data ? tile.group.count_of(k) : 0, run, ways};
    const Index selected = select(block, in_data ? tile.begin : 0);
    if (in_data) splits.store(number * ways + k, selected);
  }
};

}  // namespace fathom
