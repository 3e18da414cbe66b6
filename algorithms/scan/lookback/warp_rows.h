// SPDX-License-Identifier: Apache-2.0
// A warp's part of a tile: rows of one vector per lane, in shared memory.
#pragma once

#include <fathom/algorithms/block/reduce.h>
#include <fathom/algorithms/block/scan.h>
#include <fathom/algorithms/scan/scan_kind.h>

namespace fathom {

/// `elements` consecutive elements for each lane of a warp, a multiple of widest_vector<T>.
///
/// They are kept in shared memory, not in registers, while the block looks back: this makes room for more
/// tiles, and so more loads are in flight while others look back. A warp holds consecutive elements in rows
/// of one 16-byte vector per lane, the best access pattern for memory; a row is scanned across the warp with
/// shuffles. A transposition, so that a thread holds consecutive elements, would move every element four
/// times, where this takes six shuffles per vector.
template <class T, class Elements>
struct WarpRows {
  static constexpr int width = widest_vector<T>;
  using Row = Vector<T, width>;

  Shared<Row> tile;
  Elements elements;

  static int shared_memory(int threads, int elements) {
    return shared_bytes<Row>(threads * elements / width);
  }
  template <class Block>
  FATHOM_DEVICE
  static WarpRows make(Block& block, Elements elements) {
    const int warp_rows = warp_width * (elements / width);
    return {block.template shared<Row>(block.warps() * warp_rows).from(block.warp() * warp_rows), elements};
  }

  /// Reads them from `first` on; those from `n` on become `padding`.
  template <class Block>
  FATHOM_DEVICE
  void read(Block& block, const Span<const T>& input, const Index& first, const Index& n,
            const Shared<u64>& arrival, const T& padding) const {
    if (is_whole(first, n)) {
      block.begin_copy(input, first, tile, warp_width * (elements / width), arrival);
      block.wait_for_copy(tile, arrival);
    } else {
      read_last(block, input, first, n, padding);
    }
  }
  /// The same in two steps, by a stage of the warp's pipeline, all lanes of the warp together. A warp barrier
  /// lies between earlier accesses to the tile and begin(); wait() is one.
  template <class Block, class Copies>
  FATHOM_DEVICE
  void begin(Block& block, Copies& copies, int stage, const Span<const T>& input, const Index& first,
             const Index& n, const T& padding) const {
    if (is_whole(first, n))
      copies.begin(stage, input, first, tile, warp_width * (elements / width));
    else
      read_last(block, input, first, n, padding);
  }
  template <class Block, class Copies>
  FATHOM_DEVICE
  void wait(Block& block, Copies& copies, int stage, const Index& first, const Index& n) const {
    if (is_whole(first, n))
      copies.wait(stage);
    else
      block.warp_barrier();
  }

  /// The combination of all of them, in lane 0. Faster than scan(); a lane reads consecutive vectors, which
  /// lie in different banks if their number is odd.
  template <class Operator, class Block>
  FATHOM_DEVICE
  T reduce(Block& block, Operator combine) const {
    T sum = identity_of<Operator, T>();
    FATHOM_UNROLL
    for (int r = 0; r < elements / width; ++r) {
      const Row row = tile.load(block.lane() * (elements / width) + r);
      FATHOM_UNROLL
      for (int i = 0; i < width; ++i) sum = combine(sum, row.element[i]);
    }
    return reduce_warp(block, sum, combine);
  }

  /// before_row[r] = combination of all elements of the warp before this lane's in row r. Returns the
  /// combination of all elements of the warp, in every lane. All rows take each step together: one latency
  /// instead of one per row.
  template <class Operator, class Block>
  FATHOM_DEVICE
  T scan(Block& block, Registers<T, Elements>& before_row, Operator combine) const {
    FATHOM_UNROLL
    for (int r = 0; r < elements / width; ++r) {
      const Row row = tile.load(own(block, r));
      before_row[r] = row.element[0];
      FATHOM_UNROLL
      for (int i = 1; i < width; ++i) before_row[r] = combine(before_row[r], row.element[i]);
    }
    FATHOM_UNROLL
    for (int distance = 1; distance < warp_width; distance *= 2) {
      FATHOM_UNROLL
      for (int r = 0; r < elements / width; ++r) {
        const T lower = block.shuffle_up(before_row[r], distance);
        if (block.lane() >= distance) before_row[r] = combine(lower, before_row[r]);
      }
    }
    T sum = identity_of<Operator, T>();
    FATHOM_UNROLL
    for (int r = 0; r < elements / width; ++r) {
      const T row_sum = block.shuffle(before_row[r], warp_width - 1);
      const T lower = block.shuffle_up(before_row[r], 1);
      before_row[r] = block.lane() == 0 ? sum : combine(sum, lower);
      sum = combine(sum, row_sum);
    }
    return sum;
  }

  template <class Kind, class Operator, class Block>
  FATHOM_DEVICE
  void write(Block& block, const Span<T>& output, const Index& first, const Index& n, const T& before_warp,
             const Registers<T, Elements>& before_row, Operator combine) const {
    const bool whole = is_whole(first, n);
    FATHOM_UNROLL
    for (int r = 0; r < elements / width; ++r) {
      T before = combine(before_warp, before_row[r]);
      Row row = tile.load(own(block, r));
      FATHOM_UNROLL
      for (int i = 0; i < width; ++i) row.element[i] = scan_step<Kind>(before, row.element[i], combine);
      if (whole) {
        output.store_vector_streaming(first + place(block, r, 0), row);
      } else {
        FATHOM_UNROLL
        for (int i = 0; i < width; ++i)
          if (first + place(block, r, i) < n) output.store(first + place(block, r, i), row.element[i]);
      }
    }
  }

 private:
  FATHOM_DEVICE
  bool is_whole(const Index& first, const Index& n) const { return first + warp_width * elements <= n; }

  template <class Block>
  FATHOM_DEVICE
  void read_last(Block& block, const Span<const T>& input, const Index& first, const Index& n,
                 const T& padding) const {
    for (int r = 0; r < elements / width; ++r) {
      Row row;
      FATHOM_UNROLL
      for (int i = 0; i < width; ++i) {
        const Index at = first + place(block, r, i);
        row.element[i] = at < n ? input.load(at) : padding;
      }
      tile.store(own(block, r), row);
    }
  }

  /// The position of element i of row r, relative to the warp's first element.
  template <class Block>
  FATHOM_DEVICE
  int place(const Block& block, int r, int i) const { return (r * warp_width + block.lane()) * width + i; }

  /// The position of the thread's vector of row r in its warp's part of shared memory.
  template <class Block>
  FATHOM_DEVICE
  int own(const Block& block, int r) const { return r * warp_width + block.lane(); }
};

}  // namespace fathom
