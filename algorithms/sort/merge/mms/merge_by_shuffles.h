// SPDX-License-Identifier: Apache-2.0
// A pass of GPU-MMS as its paper has it: every warp merges pieces of K lists, one after the other, through
// one heap, by shuffles (karsin2018 §5).
#pragma once

#include <fathom/algorithms/sort/merge/multiway_pieces.h>
#include <fathom/algorithms/sort/merge/whole_warp_heap.h>

namespace fathom {

/// LessThan orders keys. A warp is a block.
template <class Element, class LessThan, class Ways = Number>
struct MergeByShuffles {
  static constexpr const char* header = "fathom/algorithms/sort/merge/mms/merge_by_shuffles.h";

  using Heap = WholeWarpHeap<Element, LessThan, MinBlockHeap, Ways>;

  ConstListOf<Element> input;
  ListOf<Element> output;
  Span<const PieceEnd> ends;
  MultiwayPieces pieces;
  Ways ways;

  static int shared_memory(int ways) { return Heap::shared_memory(ways); }

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const Heap heap = Heap::make(block, ways);
    const int lane = block.lane();
    for (Index piece = block.index(); piece < pieces.count; piece += block.blocks()) {
      const MultiwayPieces::Place at = pieces.place(piece);
      Index begin = 0;
      PieceEnd end{0, 0};
      if (lane < ways) {
        begin = at.in_group == 0 ? pieces.list_first(at, lane) : ends.load((piece - 1) * ways + lane).end;
        end = ends.load(piece * ways + lane);
        end.equal = max(end.equal, begin);
      }
      heap.merge(block, input, output, begin, end, pieces.first(at));
    }
  }
};

}  // namespace fathom
