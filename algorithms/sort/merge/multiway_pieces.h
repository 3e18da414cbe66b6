// How a pass of a multiway mergesort is cut into pieces that are merged independently of each other.
#pragma once

#include <fathom/device/contract/contract.h>

namespace fathom {

/// A pass merges groups of `ways` neighbouring sorted runs; at the end of the data runs may be shorter or
/// empty. Each group's output is cut into `pieces_per_group` pieces of `piece_size` keys; its last pieces may
/// be shorter or empty.
struct MultiwayPieces {
  Index n;
  Index run;
  int ways;
  Index pieces_per_group;
  int piece_size;

  FATHOM_DEVICE
  Index group_size() const { return run * ways; }
  FATHOM_DEVICE
  Index count() const { return ceil_div(n, group_size()) * pieces_per_group; }
  FATHOM_DEVICE
  Index group_first(Index piece) const { return piece / pieces_per_group * group_size(); }
  /// Where the piece begins in the output.
  FATHOM_DEVICE
  Index first(Index piece) const {
    return min(group_first(piece) + piece % pieces_per_group * piece_size,
               min(group_first(piece) + group_size(), n));
  }
  FATHOM_DEVICE
  Index list_first(Index piece, int list) const { return min(group_first(piece) + list * run, n); }
};

/// Where a piece ends in one of the lists. The last of its keys, in order, may be equivalent to others: all
/// that are, from `equal` to `end`, are copied behind the merged keys. So every merged key is less than the
/// piece's last one, which can stand in where a list has ended: no type needs an infinity, and no copy of a
/// key can take the place of an equivalent one.
struct PieceEnd {
  Index equal, end;
};

}  // namespace fathom
