// SPDX-License-Identifier: Apache-2.0
// Before a pass of a multiway mergesort: where each piece of its output ends in the lists.
#pragma once

#include <fathom/algorithms/block/multiway_select.h>
#include <fathom/algorithms/sort/merge/multiway_pieces.h>
#include <fathom/algorithms/sort/merge/piece_end.h>

namespace fathom {

/// Selects exactly, by rank; equivalent keys are in the order of their lists, so that the pieces fit
/// together. `ways` neighbouring lanes per piece, one per list.
template <class Key, class LessThan, class Ways = Number>
struct PiecePartition {
  static constexpr const char* header = "fathom/algorithms/sort/merge/piece_partition.h";

  Span<const Key> input;
  Span<PieceEnd> ends;  ///< piece by piece, `ways` for each
  MultiwayPieces pieces;
  Ways ways;

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const Index pieces_of_warp = warp_width / ways, all_warps = block.blocks() * block.warps();
    for (Index first = (block.index() * block.warps() + block.warp()) * pieces_of_warp; first < pieces.count;
         first += all_warps * pieces_of_warp)
      end_piece(block, first + block.lane() / ways, block.lane() % ways);
  }

 private:
  template <class Block>
  FATHOM_DEVICE
  void end_piece(Block& block, Index piece, int list_number) const {
    const bool is_piece = piece < pieces.count;
    const MultiwayPieces::Place at = pieces.place(is_piece ? piece : 0);
    const Index first = pieces.list_first(at, list_number);
    const Index count = pieces.list_first(at, list_number + 1) - first;
    const Span<const Key> list = input.from(first);
    const MultiwaySelect<Key, LessThan, Ways> select{list, count, pieces.run, ways};
    const Index end = select(block, pieces.end(at) - at.group_first);

    Key last{};
    if (end > 0) last = list.load(end - 1);
    const Key greatest = greatest_of_lists<LessThan>(block, last, end > 0, ways);
    if (is_piece)
      ends.store(piece * ways + list_number,
                 {first + first_not_less<LessThan>(list, 0, end, greatest), first + end});
  }
};

}  // namespace fathom
