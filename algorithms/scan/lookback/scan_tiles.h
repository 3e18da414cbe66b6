// The single-pass scan: every block scans one tile and gets its starting value from the blocks before it.
#pragma once

#include <fathom/algorithms/block/scan.h>
#include <fathom/algorithms/scan/lookback/tile_states.h>
#include <fathom/algorithms/scan/scan_kind.h>

namespace fathom {

/// Scans a tile of threads × elements_per_thread elements. `elements_per_thread` is a multiple of
/// widest_vector<T>.
///
/// The tile is kept in shared memory, not in registers, while the block looks back: this makes room for more
/// tiles, and so more loads are in flight while others look back. A warp holds consecutive elements in rows
/// of one 16-byte vector per lane, the best access pattern for memory; a row is scanned across the warp with
/// shuffles. A transposition, so that a thread holds consecutive elements, would move every element four
/// times, where this takes six shuffles per vector.
///
/// Blocks wait for blocks of lower index. GPUs start blocks in the order of their index; a ticket from an
/// atomic would not depend on that, but costs a latency before the first load, which slows small inputs.
/// Persistent blocks that prefetch their next tile were tried and were slower: they all wait for the slowest
/// fetch.
template <class T, class Operator, class Kind, class Threads = Number, class Elements = Number>
struct ScanTiles {
  static constexpr const char* header = "fathom/algorithms/scan/lookback/scan_tiles.h";

  Span<const T> input;
  Span<T> output;
  TileStates<T> states;
  int backoff_ns;  ///< see TileStates::look_back
  Index n;
  Threads threads_per_block;
  Elements elements_per_thread;

  static constexpr bool blocks_communicate = true;
  static constexpr int width = widest_vector<T>;
  using Row = Vector<T, width>;

  static int shared_memory(int threads, int elements) {
    return shared_bytes<Row>(threads * elements / width) + shared_bytes<u64>(warp_width) +
           shared_bytes<T>(warp_width) + shared_bytes<T>(1);
  }

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const Operator combine{};
    const int warp_rows = warp_width * (elements_per_thread / width);
    const auto tile = block.template shared<Row>(block.warps() * warp_rows).from(block.warp() * warp_rows);
    const auto arrival = block.template shared<u64>(warp_width);
    const auto warp_sums = block.template shared<T>(warp_width);
    const auto before_tile = block.template shared<T>(1);

    const Index first = (block.index() * threads_per_block + block.warp() * warp_width) * elements_per_thread;
    read(block, first, tile, arrival);
    Registers<T, Elements> before_row(elements_per_thread);  // only one per row is used
    const T warp_sum = scan_rows(block, tile, before_row, combine);
    const BlockPrefix<T> warp = warp_prefix_in_block(block, warp_sum, warp_sums, combine);

    if (block.warp() == 0) {
      const T before = place_tile(block, int(block.index()), warp.aggregate, combine);
      if (block.lane() == 0) before_tile.store(0, before);
    }
    block.barrier();
    write(block, first, combine(before_tile.load(0), warp.exclusive_prefix), tile, before_row, combine);
  }

 private:
  /// The position of element i of row r, relative to the warp's first element.
  template <class Block>
  FATHOM_DEVICE
  int place(const Block& block, int r, int i) const { return (r * warp_width + block.lane()) * width + i; }

  /// The position of the thread's vector of row r in its warp's part of shared memory.
  template <class Block>
  FATHOM_DEVICE
  int own(const Block& block, int r) const { return r * warp_width + block.lane(); }

  template <class Block>
  FATHOM_DEVICE
  void read(Block& block, Index first, const Shared<Row>& tile, const Shared<u64>& arrival) const {
    if (first + warp_width * elements_per_thread <= n) {
      block.begin_copy(input, first, tile, warp_width * (elements_per_thread / width), arrival);
      block.wait_for_copy(tile, arrival);
    } else {
      for (int r = 0; r < elements_per_thread / width; ++r) {
        Row row;
        FATHOM_UNROLL
        for (int i = 0; i < width; ++i) {
          const Index at = first + place(block, r, i);
          row.element[i] = at < n ? input.load(at) : identity_of<Operator, T>();
        }
        tile.store(own(block, r), row);
      }
    }
  }

  /// before_row[r] = combination of all elements of the warp before this lane's in row r. Returns the
  /// combination of all elements of the warp, in every lane. All rows take each step together: one latency
  /// instead of one per row.
  template <class Block>
  FATHOM_DEVICE
  T scan_rows(Block& block, const Shared<Row>& tile, Registers<T, Elements>& before_row,
              Operator combine) const {
    FATHOM_UNROLL
    for (int r = 0; r < elements_per_thread / width; ++r) {
      const Row row = tile.load(own(block, r));
      before_row[r] = row.element[0];
      FATHOM_UNROLL
      for (int i = 1; i < width; ++i) before_row[r] = combine(before_row[r], row.element[i]);
    }
    FATHOM_UNROLL
    for (int distance = 1; distance < warp_width; distance *= 2) {
      FATHOM_UNROLL
      for (int r = 0; r < elements_per_thread / width; ++r) {
        const T lower = block.shuffle_up(before_row[r], distance);
        if (block.lane() >= distance) before_row[r] = combine(lower, before_row[r]);
      }
    }
    T sum = identity_of<Operator, T>();
    FATHOM_UNROLL
    for (int r = 0; r < elements_per_thread / width; ++r) {
      const T row_sum = block.shuffle(before_row[r], warp_width - 1);
      const T lower = block.shuffle_up(before_row[r], 1);
      before_row[r] = block.lane() == 0 ? sum : combine(sum, lower);
      sum = combine(sum, row_sum);
    }
    return sum;
  }

  /// Run by one warp: in lane 0, the combination of all tiles before this one, whose own is `total`. Other
  /// blocks wait for what is published here, so it is published as soon as it is known.
  template <class Block>
  FATHOM_DEVICE
  T place_tile(Block& block, int tile, const T& total, Operator combine) const {
    if (tile > 0 && block.lane() == 0) states.publish(tile, total, false);
    const T before = states.look_back(block, tile, backoff_ns, combine);
    if (block.lane() == 0) states.publish(tile, combine(before, total), true);
    return before;
  }

  template <class Block>
  FATHOM_DEVICE
  void write(Block& block, Index first, const T& before_warp, const Shared<Row>& tile,
             const Registers<T, Elements>& before_row, Operator combine) const {
    const bool whole = first + warp_width * elements_per_thread <= n;
    FATHOM_UNROLL
    for (int r = 0; r < elements_per_thread / width; ++r) {
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
};

}  // namespace fathom
