// SPDX-License-Identifier: Apache-2.0
// Tiles that the blocks of a fixed grid take one after another.
#pragma once

#include <fathom/device/contract/contract.h>

namespace fathom {

/// Calls move(tile) in all threads of a block for each tile of `elements` that the block takes; `taken` is a
/// word for it. Tiles are taken in their order: whoever waits for one waits for a block that runs.
template <class Block, class Move>
FATHOM_DEVICE
void for_each_tile_in_turn(Block& block, const Span<u32>& tiles_taken, Shared<u32> taken, Index elements,
                           Index tile_size, Move move) {
  while (true) {
    if (block.thread() == 0) taken.store(0, tiles_taken.atomic_add_relaxed(0, 1u));
    block.barrier();
    const Index tile = taken.load(0);
    if (tile * tile_size >= elements) return;
    move(tile);
  }
}

}  // namespace fathom
