// SPDX-License-Identifier: Apache-2.0
// One merge round of the pairwise mergesort (karsin2018 §4.1): every block writes one tile of the merged
// runs.
#pragma once

#include <fathom/algorithms/block/load.h>
#include <fathom/algorithms/block/merge.h>
#include <fathom/algorithms/block/store.h>
#include <fathom/algorithms/sort/merge/runs.h>

namespace fathom {

/// Merges pairs of runs of length `run`, as partitioned by MergePathPartition. One block per tile. LessThan
/// orders keys.
template <class Element, class LessThan, class Stability = Unstable, class Threads = Number,
          class Elements = Number>
struct MergeTiles {
  static constexpr const char* header = "fathom/algorithms/sort/merge/pairwise/merge_tiles.h";

  using Tile = TileOf<Element>;

  ConstListOf<Element> input;
  ListOf<Element> output;
  Span<const Index> splits;
  Index n;
  Index run;
  Threads threads_per_block;
  Elements elements_per_thread;

  static int shared_memory(int threads, int elements) {
    return Tile::bytes(threads * elements) + shared_bytes<int>(threads);
  }

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const int tile_size = threads_per_block * elements_per_thread;
    const auto part = PairTile::number(block.index(), tile_size, n, run, splits);
    const auto tile = Tile::in(block, tile_size);
    const auto splits_in_tile = block.template shared<int>(threads_per_block);
    fill_tile<Element>(block, threads_per_block, elements_per_thread, tile, part.count, elements_per_thread,
                       [&](int at) { return input.load(part.source(at)); });
    pad_tile(block, elements_per_thread, tile, part.count);
    block.barrier();

    const PairShare pair{0, part.a_count, part.count, block.thread(),
                         block.thread() == threads_per_block - 1};
    Registers<Element, Elements> merged(elements_per_thread);
    merge_share(merged, elements_per_thread, tile, pair, splits_in_tile, block.thread(),
                OrderOf<Element, LessThan, Stability>{}, [&] { block.barrier(); });
    block.barrier();
    write_tile(block, merged, elements_per_thread, tile, output.from(part.first), part.count);
  }
};

}  // namespace fathom
