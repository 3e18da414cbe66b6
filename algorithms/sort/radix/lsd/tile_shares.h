// SPDX-License-Identifier: Apache-2.0
// How a fixed number of blocks shares the tiles of an array.
#pragma once

#include <fathom/device/contract/contract.h>

namespace fathom {

/// Every block has `each` consecutive tiles, and the first `extra` blocks one more.
struct TileShares {
  Index each;
  Index extra;

  FATHOM_DEVICE
  Index begin(Index block) const { return block * each + min(block, extra); }
  FATHOM_DEVICE
  Index end(Index block) const { return begin(block + 1); }
};

}  // namespace fathom
