// SPDX-License-Identifier: Apache-2.0
// The pieces that a warp's heaps merge next: their lists, and what needs no merging.
#pragma once

#include <fathom/algorithms/sort/merge/multiway_pieces.h>
#include <fathom/algorithms/sort/merge/piece_end.h>
#include <fathom/algorithms/sort/merge/warp_heaps.h>

namespace fathom {

/// A warp sets its heaps up by this before they merge pieces of `input` into `output`.
template <class Element>
struct HeapPieces {
  ConstListOf<Element> input;
  ListOf<Element> output;
  Span<const PieceEnd> ends;
  MultiwayPieces pieces;

  /// Copies what needs no merging and sets up the lists of each heap. Returns the nodes that the longest
  /// piece fills.
  template <class Block, class Heaps>
  FATHOM_DEVICE
  int begin(Block& block, const Heaps& heaps, Index first_piece) const {
    const int lane = block.lane();
    int most = 0;
    MultiwayPieces::Place at = pieces.place(first_piece);
    FATHOM_NO_UNROLL
    for (int heap = 0; heap < heaps.layout().heaps(); ++heap, at = pieces.after(at)) {
      const Index piece = first_piece + heap, first = pieces.first(at);
      Index begin = 0;
      PieceEnd end{0, 0};
      if (piece < pieces.count && lane < heaps.ways) {
        begin =
            at.in_group == 0 ? pieces.list_first(at, lane) : ends.load((piece - 1) * heaps.ways + lane).end;
        end = ends.load(piece * heaps.ways + lane);
        end.equal = max(end.equal, begin);
      }
      const int merged = block.reduce_add(int(end.equal - begin));
      heaps.store_lists(block, heap, begin, int(end.equal - begin));
      if (lane == 0) {
        heaps.piece_first.store(heap, first);
        heaps.piece_end.store(heap, first + merged);
      }
      const Element greatest = copy_greatest<Element>(block, input, output, end, first + merged);
      if (lane == 0) heaps.padding.store(heap, greatest);
      most = max(most, merged);
    }
    block.warp_barrier();
    return int(ceil_div(most, heaps.node));
  }
};

}  // namespace fathom
