// SPDX-License-Identifier: Apache-2.0
// The third step of the matrix scan (agpu2015 §6): every warp scans its chunk, tile by tile.
#pragma once

#include <fathom/algorithms/block/scan.h>
#include <fathom/algorithms/scan/scan_kind.h>

namespace fathom {

/// Scan of each warp's chunk, starting from its prefix by SpineScan. `chunk` is a multiple of a tile, which
/// is `rows` (α) × 32 elements.
///
/// A tile lies column-major in shared memory, α rows of 32 columns padded to 33: each lane scans the α
/// consecutive elements of its column without bank conflicts, while the warp's accesses to 32 consecutive
/// elements have conflicts of degree min(⌈32/α⌉, α). A small α leaves room for more warps; a large α has
/// fewer conflicts and shuffles.
template <class T, class Operator, class Kind, class Threads = Number, class Rows = Number>
struct ScanChunks {
  static constexpr const char* header = "fathom/algorithms/scan/matrix/scan_chunks.h";

  Span<const T> input;
  Span<T> output;
  Span<const T> sums;
  Index n;
  Index chunk;
  Threads threads_per_block;
  Rows rows;

  static constexpr int padded_columns = warp_width + 1;
  static int shared_memory(int threads, int rows) {
    return shared_bytes<T>(threads / warp_width * rows * padded_columns);
  }

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const Operator combine{};
    const int tile_words = rows * padded_columns;
    const int tile_size = rows * warp_width;
    const auto tile =
        block.template shared<T>(threads_per_block / warp_width * tile_words).from(block.warp() * tile_words);

    const Index warp = block.index() * (threads_per_block / warp_width) + block.warp();
    const Index begin = warp * chunk;
    if (begin >= n) return;
    const Index end = min(begin + chunk, n);
    T carry = sums.load(warp);
    for (Index first = begin; first < end; first += tile_size) {
      const int count = int(min<Index>(end - first, tile_size));
      read_rows(block, input.from(first), count, tile);
      block.warp_barrier();
      carry = scan_columns(block, tile, carry, combine);
      block.warp_barrier();
      write_rows(block, output.from(first), count, tile);
      block.warp_barrier();
    }
  }

 private:
  /// The position of element i of a tile.
  FATHOM_DEVICE
  int place(int i) const { return i % rows * padded_columns + i / rows; }

  template <class Block>
  FATHOM_DEVICE
  void read_rows(Block& block, Span<const T> elements, int count, Shared<T> tile) const {
    Registers<T, Rows> values(rows);
    FATHOM_UNROLL
    for (int r = 0; r < rows; ++r) {
      const int i = r * warp_width + block.lane();
      values[r] = i < count ? elements.load(i) : identity_of<Operator, T>();
    }
    FATHOM_UNROLL
    for (int r = 0; r < rows; ++r) tile.store(place(r * warp_width + block.lane()), values[r]);
  }

  /// Scans the tile in place and returns the carry into the next one.
  template <class Block>
  FATHOM_DEVICE
  T scan_columns(Block& block, Shared<T> tile, T carry, Operator combine) const {
    Registers<T, Rows> column(rows);
    T sum = identity_of<Operator, T>();
    FATHOM_UNROLL
    for (int r = 0; r < rows; ++r) {
      column[r] = tile.load(r * padded_columns + block.lane());
      sum = combine(sum, column[r]);
    }
    const T inclusive = inclusive_scan_warp(block, sum, combine);
    const T lower = block.shuffle_up(inclusive, 1);
    T before = block.lane() == 0 ? carry : combine(carry, lower);
    FATHOM_UNROLL
    for (int r = 0; r < rows; ++r) {
      tile.store(r * padded_columns + block.lane(), scan_step<Kind>(before, column[r], combine));
    }
    return combine(carry, block.shuffle(inclusive, warp_width - 1));
  }

  template <class Block>
  FATHOM_DEVICE
  void write_rows(Block& block, Span<T> elements, int count, Shared<T> tile) const {
    FATHOM_UNROLL
    for (int r = 0; r < rows; ++r) {
      const int i = r * warp_width + block.lane();
      if (i < count) elements.store(i, tile.load(place(i)));
    }
  }
};

}  // namespace fathom
