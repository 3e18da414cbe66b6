// SPDX-License-Identifier: Apache-2.0
// Matrix reduction (agpu2015): tiles are transposed in shared memory, and every lane reduces a row.
#pragma once

#include <fathom/algorithms/block/reduce.h>

namespace fathom {

/// results[k] = in-order combination of the tiles of block k's warps, `tiles_per_warp` consecutive tiles
/// each. A tile is 32 rows of 32 elements, padded to 33 in shared memory. So neither its rows, which the warp
/// reads from global memory one at a time, nor its columns, which the lanes access as each goes through its
/// own row, have bank conflicts.
template <class T, class Operator, class Threads = Number>
struct ReduceTiles {
  static constexpr const char* header = "fathom/algorithms/reduce/matrix/reduce_tiles.h";

  using Element = T;
  static constexpr int tile_size = warp_width * warp_width;
  static constexpr int padded_row = warp_width + 1;
  /// Rows of a tile in flight; must divide 32.
  static constexpr int loads = 64 % sizeof(T) == 0 ? 64 / int(sizeof(T)) : 4;

  Span<const T> input;
  Span<T> results;
  Index tiles_per_warp;
  Threads threads_per_block;

  static ReduceTiles over(Span<const T> input, Span<T> results, Index blocks, int threads) {
    const Index tiles = ceil_div(Index(input.count), tile_size);
    return {input, results, ceil_div(tiles, blocks * (threads / warp_width)), threads};
  }
  static int shared_memory(int threads) {
    return shared_bytes<T>(threads * padded_row) + shared_bytes<T>(warp_width);
  }
  /// Elements that justify another block.
  static Index part(int threads) { return Index(threads) * warp_width; }
  Index depth(Index) const { return warp_width + tiles_per_warp + depth_of_block + 5; }

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    constexpr int padded_tile = warp_width * padded_row;
    const int warps = threads_per_block / warp_width;
    const auto tile = block.template shared<T>(warps * padded_tile).from(block.warp() * padded_tile);
    const Operator combine{};

    const Index first = (block.index() * warps + block.warp()) * tiles_per_warp;
    const Index end = min(first + tiles_per_warp, ceil_div(Index(input.count), tile_size));
    T sum = identity_of<Operator, T>();
    FATHOM_NO_UNROLL
    for (Index t = first; t < end; ++t) {
      read_tile(block, t * tile_size, tile);
      block.warp_barrier();
      const T of_my_row = reduce_row(tile.from(block.lane() * padded_row), combine);
      block.warp_barrier();
      sum = combine(sum, reduce_warp(block, of_my_row, combine));
    }
    const T total = combine_warps(block, sum, combine);
    if (block.thread() == 0) results.store(block.index(), total);
  }

 private:
  /// The last tile is padded with identities.
  template <class Block>
  FATHOM_DEVICE
  void read_tile(Block& block, Index first, Shared<T> tile) const {
    if (first + tile_size <= Index(input.count))
      copy_tile(block, tile, [&](int place) { return input.load(first + place); });
    else
      copy_tile(block, tile, [&](int place) {
        return first + place < Index(input.count) ? input.load(first + place) : identity_of<Operator, T>();
      });
  }

  template <class Block, class Load>
  FATHOM_DEVICE
  void copy_tile(Block& block, Shared<T> tile, Load load) const {
    // If this were unrolled, the number of loads in flight would depend on t.
    FATHOM_NO_UNROLL
    for (int r = 0; r < warp_width; r += loads) {
      T values[loads];
      FATHOM_UNROLL
      for (int k = 0; k < loads; ++k) values[k] = load((r + k) * warp_width + block.lane());
      FATHOM_UNROLL
      for (int k = 0; k < loads; ++k) tile.store((r + k) * padded_row + block.lane(), values[k]);
    }
  }

  FATHOM_DEVICE
  T reduce_row(Shared<T> row, Operator combine) const {
    T result = row.load(0);
    FATHOM_UNROLL
    for (int i = 1; i < warp_width; ++i) result = combine(result, row.load(i));
    return result;
  }
};

}  // namespace fathom
