// SPDX-License-Identifier: Apache-2.0
// The single-pass scan: every block scans one tile and gets its starting value from the blocks before it.
#pragma once

#include <fathom/algorithms/scan/lookback/tile_states.h>
#include <fathom/algorithms/scan/lookback/warp_rows.h>

namespace fathom {

/// Scans a tile of threads × elements_per_thread elements. `elements_per_thread` is a multiple of
/// widest_vector<T>.
///
/// Blocks wait for blocks of lower index. GPUs start blocks in the order of their index; a ticket from an
/// atomic would not depend on that, but costs a latency before the first load, which slows small inputs.
/// ScanTilesInTurn has blocks that stay and fetch several tiles ahead. Blocks that stay and fetch only the
/// next tile were tried and were slower than these: they all wait for the slowest fetch.
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
  using Rows = WarpRows<T, Elements>;

  static int shared_memory(int threads, int elements) {
    return Rows::shared_memory(threads, elements) + shared_bytes<u64>(warp_width) +
           shared_bytes<T>(warp_width) + shared_bytes<T>(1);
  }

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const Operator combine{};
    const auto rows = Rows::make(block, elements_per_thread);
    const auto arrival = block.template shared<u64>(warp_width);
    const auto warp_sums = block.template shared<T>(warp_width);
    const auto before_tile = block.template shared<T>(1);

    const Index first = (block.index() * threads_per_block + block.warp() * warp_width) * elements_per_thread;
    rows.read(block, input, first, n, arrival, identity_of<Operator, T>());
    Registers<T, Elements> before_row(elements_per_thread);  // only one per row is used
    const T warp_sum = rows.scan(block, before_row, combine);
    const BlockPrefix<T> warp = warp_prefix_in_block(block, warp_sum, warp_sums, combine);

    if (block.warp() == 0) {
      const T before = place_tile(block, int(block.index()), warp.aggregate, combine);
      if (block.lane() == 0) before_tile.store(0, before);
    }
    block.barrier();
    rows.template write<Kind>(block, output, first, n, combine(before_tile.load(0), warp.exclusive_prefix),
                              before_row, combine);
  }

 private:
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
};

}  // namespace fathom
