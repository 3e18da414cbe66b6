// SPDX-License-Identifier: Apache-2.0
// How a pass of a multiway mergesort is cut into pieces that are merged independently of each other.
#pragma once

#include <fathom/device/contract/contract.h>

namespace fathom {

/// A pass merges groups of `ways` neighbouring sorted runs; at the end of the data runs may be shorter or
/// empty. Each group's output is cut into pieces of `piece_size` keys, the last of which may be shorter; the
/// last group has no more pieces than its keys need.
struct MultiwayPieces {
  Index n;
  Index run;
  int ways;
  int piece_size;
  Index pieces_per_group;
  Index count;  ///< of pieces of all groups

  static MultiwayPieces of(Index n, Index run, int ways, int piece_size) {
    const Index group = run * ways, per_group = ceil_div(min(group, n), Index(piece_size));
    return {n,          run,       ways,
            piece_size, per_group, n / group * per_group + ceil_div(n % group, Index(piece_size))};
  }

  FATHOM_DEVICE
  Index group_size() const { return run * ways; }

  struct Place {
    Index group_first;
    Index in_group;  ///< number of the piece
  };
  FATHOM_DEVICE
  Place place(Index piece) const {
    const Index group = piece / pieces_per_group;
    return {group * group_size(), piece - group * pieces_per_group};
  }
  FATHOM_DEVICE
  Place after(const Place& at) const {
    if (at.in_group + 1 < pieces_per_group) return {at.group_first, at.in_group + 1};
    return {at.group_first + group_size(), 0};
  }
  /// Where the piece begins in the output, and where it ends.
  FATHOM_DEVICE
  Index first(const Place& at) const {
    return min(at.group_first + min(at.in_group * piece_size, group_size()), n);
  }
  FATHOM_DEVICE
  Index end(const Place& at) const { return first({at.group_first, at.in_group + 1}); }
  FATHOM_DEVICE
  Index list_first(const Place& at, int list) const { return min(at.group_first + list * run, n); }
};

}  // namespace fathom
