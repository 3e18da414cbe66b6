// SPDX-License-Identifier: Apache-2.0
// The pieces that a warp's heaps merge next: their lists, and what needs no merging.
#pragma once

#include <fathom/algorithms/block/scan.h>
#include <fathom/algorithms/sort/merge/multiway_pieces.h>
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
      const Element greatest = copy_greatest(block, heaps, end, first + merged);
      if (lane == 0) heaps.padding.store(heap, greatest);
      most = max(most, merged);
    }
    block.warp_barrier();
    return int(ceil_div(most, heaps.node));
  }

  /// Copies the keys that are equivalent to the piece's last one, list by list; lane 0 returns one of them.
  /// Lanes take consecutive keys of all lists together, several each: the warp waits for all at once.
  template <class Block, class Heaps>
  FATHOM_DEVICE
  Element copy_greatest(Block& block, const Heaps& heaps, const PieceEnd& end, Index to) const {
    constexpr int keys_at_once = 8;
    const int count = int(end.end - end.equal);
    const int up_to_here = inclusive_scan_warp(block, count, Plus{});
    const int all = block.shuffle(up_to_here, warp_width - 1);
    const int first = up_to_here - count;  // of the list's keys among all

    Element greatest{};
    FATHOM_NO_UNROLL
    for (int begin = 0; begin < all; begin += keys_at_once * warp_width) {
      typename Heaps::Keys keys(heaps.node);
      FATHOM_UNROLL
      for (int i = 0; i < keys_at_once; ++i) {
        const int at = begin + i * warp_width + block.lane();
        if (begin + i * warp_width >= all) continue;
        const Index from = source_of(block, end.equal - first, first, at);
        if (at < all) keys[i] = input.load(from);
      }
      if (begin == 0) greatest = keys[0];
      FATHOM_UNROLL
      for (int i = 0; i < keys_at_once; ++i) {
        const int at = begin + i * warp_width + block.lane();
        if (at < all) output.store(to + at, keys[i]);
      }
    }
    return greatest;
  }

  /// Where key `at` of all lists together is, if `first` of them are before a lane's list, which begins at
  /// `list_first` + `first`. Of lists with the same first key the last one has it.
  template <class Block>
  FATHOM_DEVICE
  Index source_of(Block& block, Index list_first, int first, int at) const {
    int list = 0;
    FATHOM_UNROLL
    for (int bit = warp_width / 2; bit > 0; bit /= 2) {
      const int first_of_list = block.shuffle(first, list + bit);
      if (first_of_list <= at) list += bit;
    }
    return block.shuffle(list_first, list) + at;
  }
};

}  // namespace fathom
