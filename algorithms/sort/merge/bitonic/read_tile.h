// Reads and writes a tile that may be cut off by the end of the data.
#pragma once

#include <fathom/algorithms/block/exchange.h>

namespace fathom {

/// One of the `count` > 0 keys than which none is larger. All threads call it; `scratch` has one element per
/// warp.
template <class List, class Key, class LessThan, class Block>
FATHOM_DEVICE
Key largest_of(Block& block, List tile, int count, Shared<Key> scratch, LessThan less) {
  Key largest = tile.load(0);
  for (int at = block.thread(); at < count; at += block.threads()) {
    const Key key = tile.load(at);
    if (compare(largest, key, less)) largest = key;
  }
  for (int mask = 1; mask < warp_width; mask *= 2) {
    const Key other = block.shuffle_xor(largest, mask);
    if (compare(largest, other, less)) largest = other;
  }
  if (block.lane() == 0) scratch.store(block.warp(), largest);
  block.barrier();
  for (int warp = 0; warp < block.warps(); ++warp) {
    const Key other = scratch.load(warp);
    if (compare(largest, other, less)) largest = other;
  }
  return largest;
}

/// Reads a tile in the given layout. Missing keys become copies of the largest, which stay behind the others:
/// no comparator moves a key past one that is not smaller. In the layout they must be the last ones.
template <class List, class Key, class Elements, class LessThan, class Block>
FATHOM_DEVICE
void read_partial_tile(Block& block, List tile, int count, Shared<Key> scratch,
                       const TileLayout<Elements>& layout, Registers<Key, Elements>& keys, LessThan less) {
  const Key largest = largest_of(block, tile, count, scratch, less);
  FATHOM_UNROLL
  for (int i = 0; i < layout.elements; ++i)
    keys[i] = layout.index(i) < count ? tile.load(layout.index(i)) : largest;
}

/// Reads a whole tile, of `tile_size` keys, in the layout `whole`, and any other in the layout `partial`.
template <class List, class Key, class Elements, class LessThan, class Block>
FATHOM_DEVICE
void read_tile_in_layout(Block& block, List tile, int count, int tile_size, Shared<Key> scratch,
                         const TileLayout<Elements>& whole, const TileLayout<Elements>& partial,
                         Registers<Key, Elements>& keys, LessThan less) {
  if (count == tile_size) {
    FATHOM_UNROLL
    for (int i = 0; i < whole.elements; ++i) keys[i] = tile.load(whole.index(i));
  } else {
    read_partial_tile(block, tile, count, scratch, partial, keys, less);
  }
}

/// Bytes of shared memory for a tile's exchange and for reading it.
template <class Key>
int shared_memory_of_tile(int threads, int elements) {
  return TileExchange<Key, int, int>::shared_memory(threads * elements, elements) +
         shared_bytes<Key>(threads / warp_width);
}

/// Writes the keys that exist: `count`, of a whole tile `tile_size`.
template <class List, class Key, class Elements>
FATHOM_DEVICE
void write_tile_in_layout(List tile, int count, int tile_size, const TileLayout<Elements>& layout,
                          const Registers<Key, Elements>& keys) {
  if (count == tile_size) {
    FATHOM_UNROLL
    for (int i = 0; i < layout.elements; ++i) tile.store(layout.index(i), keys[i]);
  } else {
    FATHOM_UNROLL
    for (int i = 0; i < layout.elements; ++i)
      if (layout.index(i) < count) tile.store(layout.index(i), keys[i]);
  }
}

}  // namespace fathom
