// SPDX-License-Identifier: Apache-2.0
// Merges a tile's parts of two runs in shared memory.
#pragma once

#include <fathom/algorithms/block/load.h>
#include <fathom/algorithms/block/merge.h>
#include <fathom/algorithms/block/store.h>
#include <fathom/algorithms/sort/merge/runs.h>

namespace fathom {

/// Merges tiles of up to threads × elements elements. LessThan orders keys.
template <class Element, class LessThan, class Stability = Unstable>
class PairMerge {
  using Tile = TileOf<Element>;

 public:
  static int shared_memory(int threads, int elements) {
    return Tile::bytes(threads * elements) + shared_bytes<int>(threads);
  }
  template <class Block>
  FATHOM_DEVICE
  PairMerge(Block& block, int threads, int elements)
      : tile_(Tile::in(block, threads * elements)), splits_(block.template shared<int>(threads)) {}

  /// Reads the tile's parts and merges them, for write_tile(). All threads of the block call it.
  template <class Block, class Threads, class Elements>
  FATHOM_DEVICE
  void operator()(Block& block, Threads threads, Elements elements, const ConstListOf<Element>& input,
                  const PairTile& part, Registers<Element, Elements>& merged) const {
    fill_tile<Element>(block, threads, elements, tile_, part.count, elements,
                       [&](int at) { return input.load(part.source(at)); });
    pad_tile(block, elements, tile_, part.count);
    block.barrier();

    const PairShare pair{0, part.a_count, part.count, block.thread(), block.thread() == threads - 1};
    merge_share(merged, elements, tile_, pair, splits_, block.thread(),
                OrderOf<Element, LessThan, Stability>{}, [&] { block.barrier(); });
    block.barrier();
  }
  /// The shared memory of the tile, which is free again.
  FATHOM_DEVICE
  const typename Tile::type& tile() const { return tile_; }

 private:
  typename Tile::type tile_;
  Shared<int> splits_;
};

}  // namespace fathom
