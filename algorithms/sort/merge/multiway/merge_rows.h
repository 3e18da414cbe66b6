// SPDX-License-Identifier: Apache-2.0
// Merges of the multiway mergesort: every warp merges whole groups of K lists, or rows of them, one after the
// other, through one heap (agpu2015 §7.3).
#pragma once

#include <fathom/algorithms/block/multiway_select.h>
#include <fathom/algorithms/block/reduce.h>
#include <fathom/algorithms/sort/merge/multiway/separated_rows.h>
#include <fathom/algorithms/sort/merge/whole_warp_heap.h>

namespace fathom {

/// What both merges have in common. LessThan orders keys. A warp is a block.
template <class Element, class LessThan, class Ways>
struct MergeOfLists {
  using Heap = WholeWarpHeap<Element, LessThan, BufferedHeap, Ways>;

  ConstListOf<Element> input;
  ListOf<Element> output;
  SeparatedRows rows;
  Ways ways;

  /// Merges what a lane's list has from `begin` to `end`. The greatest key of all, and those equivalent to
  /// it, need no merging.
  template <class Block>
  FATHOM_DEVICE
  void merge(Block& block, const Heap& heap, Index begin, Index end, Index first) const {
    const auto keys = keys_of(input);
    KeyOf<Element> last{};
    if (begin < end) last = keys.load(end - 1);
    const auto greatest = greatest_of_lists<LessThan>(block, last, begin < end, warp_width);
    heap.merge(block, input, output, begin, {first_not_less<LessThan>(keys, begin, end, greatest), end},
               first);
  }
};

/// Column-wise: a group of lists for each warp.
template <class Element, class LessThan, class Ways = Number>
struct MergeColumns {
  static constexpr const char* header = "fathom/algorithms/sort/merge/multiway/merge_rows.h";

  MergeOfLists<Element, LessThan, Ways> lists;

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const SeparatedRows& rows = lists.rows;
    const auto heap = decltype(lists)::Heap::make(block, lists.ways);
    const int lane = block.lane();
    for (Index group = block.index(); group < rows.groups(); group += block.blocks()) {
      const Index begin = lane < lists.ways ? rows.list_first(group, lane) : 0;
      const Index end = lane < lists.ways ? rows.list_first(group, lane + 1) : 0;
      lists.merge(block, heap, begin, end, group * rows.group_size());
    }
  }
};

/// Row-wise: between two separators.
template <class Element, class LessThan, class Ways = Number>
struct MergeRows {
  static constexpr const char* header = "fathom/algorithms/sort/merge/multiway/merge_rows.h";

  MergeOfLists<Element, LessThan, Ways> lists;
  Span<const Index> ends;

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const auto heap = decltype(lists)::Heap::make(block, lists.ways);
    const Index count = lists.rows.count();
    for (Index row = block.index(); row < count; row += block.blocks()) {
      const Index group = row / lists.rows.rows_per_group, of_group = row % lists.rows.rows_per_group;
      const Index separators = lists.rows.separators(group);
      Index list_first = 0, begin = 0, end = 0;
      if (const int list = block.lane(); list < lists.ways) {
        const Index list_end = lists.rows.list_first(group, list + 1);
        list_first = lists.rows.list_first(group, list);
        begin = list_first;
        if (of_group > separators)
          begin = list_end;
        else if (of_group > 0)
          begin = ends.load((row - 1) * lists.ways + list);
        end = of_group < separators ? ends.load(row * lists.ways + list) : list_end;
      }
      const Index ahead = block.shuffle(reduce_warp(block, begin - list_first, Plus{}), 0);
      lists.merge(block, heap, begin, end, group * lists.rows.group_size() + ahead);
    }
  }
};

}  // namespace fathom
