// SPDX-License-Identifier: Apache-2.0
// Tiles: the part of an array that a block works on, and its elements in shared memory.
#pragma once

#include <fathom/algorithms/block/records.h>

namespace fathom {

/// Elements [first, first + count) of an array. All tiles have `size` elements but the last, which may have
/// fewer.
struct TileRange {
  int size;
  Index first;
  int count;

  /// Tile `number` of an array of n elements, from which it must not be too far away: count is an int.
  FATHOM_DEVICE
  static TileRange number(Index number, int size, Index n) {
    const Index first = number * size;
    return {size, first, int(min<Index>(n - first, size))};
  }
  FATHOM_DEVICE
  bool is_whole() const { return count == size; }
};

/// Records in shared memory, keys and values in an array each.
template <class Key, class Value>
struct SplitTile {
  Shared<Key> keys;
  Shared<Value> values;

  FATHOM_DEVICE
  Record<Key, Value> load(int i) const { return {keys.load(i), values.load(i)}; }
  FATHOM_DEVICE
  void store(int i, const Record<Key, Value>& record) const {
    keys.store(i, Key(record.key));
    values.store(i, Value(record.value));
  }
  FATHOM_DEVICE
  SplitTile from(int offset) const { return {keys.from(offset), values.from(offset)}; }
};

template <class Key>
FATHOM_DEVICE
const Shared<Key>& keys_of(const Shared<Key>& tile) {
  return tile;
}
template <class Key, class Value>
FATHOM_DEVICE
const Shared<Key>& keys_of(const SplitTile<Key, Value>& tile) {
  return tile.keys;
}

/// A tile's elements in shared memory as in global memory: keys alone, or keys and values apart.
template <class Element>
struct TileOf {
  using type = Shared<Element>;

  static constexpr int bytes(int count) { return shared_bytes<Element>(count); }
  template <class Block>
  FATHOM_DEVICE
  static type in(Block& block, int count) { return block.template shared<Element>(count); }
};
template <class Key, class Value>
struct TileOf<Record<Key, Value>> {
  using type = SplitTile<Key, Value>;

  static constexpr int bytes(int count) { return shared_bytes<Key>(count) + shared_bytes<Value>(count); }
  template <class Block>
  FATHOM_DEVICE
  static type in(Block& block, int count) {
    const auto keys = block.template shared<Key>(count);
    return {keys, block.template shared<Value>(count)};
  }
};

}  // namespace fathom
