// SPDX-License-Identifier: Apache-2.0
// How a splitter sort's levels divide the data: every bucket of a level is the parent of the next level's.
#pragma once

#include <fathom/algorithms/block/records.h>

namespace fathom {

/// Buckets of a level lie one after the other: bucket i is [begin(i), begin(i + 1)), and may be empty.
struct BucketBounds {
  Span<const Index> begins;

  FATHOM_DEVICE
  Index begin(Index bucket) const { return begins.load(bucket); }
  FATHOM_DEVICE
  Index end(Index bucket) const { return begins.load(bucket + 1); }
};

/// Elements [begin, end) of a list.
struct PartOfList {
  Index begin, end;
};

/// Buckets that lie anywhere.
struct PartBounds {
  Span<const PartOfList> parts;

  FATHOM_DEVICE
  Index begin(Index bucket) const { return parts.load(bucket).begin; }
  FATHOM_DEVICE
  Index end(Index bucket) const { return parts.load(bucket).end; }
};

/// A tile of a parent's data.
struct TileOfBucket {
  u32 parent;
  u32 number;  ///< within the parent
};

/// The elements of a tile: positions [begin, end) of [first, first + tile size).
struct TilePart {
  Index parent;
  Index first, begin, end;

  FATHOM_DEVICE
  bool contains(Index at) const { return at >= begin && at < end; }
};

/// Tiles begin at multiples of a vector's length, so that a parent that begins elsewhere begins within its
/// first tile.
inline constexpr int tile_alignment = 32;

/// Tiles of the parent at [begin, end).
FATHOM_DEVICE
Index tiles_between(Index begin, Index end, int tile_size) {
  return begin < end ? ceil_div(end - begin / tile_alignment * tile_alignment, tile_size) : 0;
}

/// Room for the tiles of so many parents among n elements.
constexpr Index most_tiles(Index n, Index parents, int tile_size) {
  return parents == 1 ? ceil_div(n, tile_size)
                      : ceil_div(n + parents * (tile_alignment - 1), tile_size) + parents;
}

/// The tiles of a level. The first level has one parent and needs no list. `Bounds` says where parents are.
template <class Bounds>
struct TileList {
  Span<const TileOfBucket> list;
  Span<const u32> count;  ///< of the list; both empty at the first level
  Bounds parents;
  int tile_size;

  /// Tile `i`; empty beyond the last one, for which a grid has room.
  FATHOM_DEVICE
  TilePart tile(Index i) const {
    TileOfBucket tile{0, u32(i)};
    if (list.count > 0) {
      if (i >= count.load(0)) return {0, 0, 0, 0};
      tile = list.load(i);
    }
    const Index begin = parents.begin(tile.parent), end = parents.end(tile.parent);
    const Index first = begin / tile_alignment * tile_alignment + Index(tile.number) * tile_size;
    return {Index(tile.parent), first, max(first, begin), min(first + tile_size, end)};
  }
};

/// A pseudo-random number for a position.
FATHOM_DEVICE
u32 spread(Index position) {
  u32 bits = u32(position) * 0x9e3779b9u;
  bits = (bits ^ bits >> 15) * 0x85ebca6bu;
  return bits ^ bits >> 16;
}

/// Which of a parent's sorted samples equal a splitter: [first, first + count).
struct EqualSamples {
  u16 first, count;

  /// A sample in whose place an element at `position` that equals them is sorted. All are as likely, so that
  /// equal elements fill the buckets that may take them as evenly as different ones would.
  FATHOM_DEVICE
  int place(Index position) const { return first + int(u64(spread(position)) * count >> 32); }
};

/// How a parent is split.
struct Split {
  int buckets;
  int ties;  ///< whether several samples equal a splitter
};

}  // namespace fathom
