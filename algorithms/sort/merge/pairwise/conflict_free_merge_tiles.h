// SPDX-License-Identifier: Apache-2.0
// MergeTiles without bank conflicts, for any input.
#pragma once

#include <fathom/algorithms/block/conflict_free_merge.h>
#include <fathom/algorithms/block/load.h>
#include <fathom/algorithms/sort/merge/runs.h>

namespace fathom {

/// Merges pairs of runs of length `run`, as partitioned by MergePathPartition, with a power of two up to 32
/// elements per thread. One block per tile. LessThan orders keys.
template <class Element, class LessThan, class Threads = Number, class Elements = Number>
struct ConflictFreeMergeTiles {
  static constexpr const char* header = "fathom/algorithms/sort/merge/pairwise/conflict_free_merge_tiles.h";

  ConstListOf<Element> input;
  ListOf<Element> output;
  Span<const Index> splits;
  Index n;
  Index run;
  Threads threads_per_block;
  Elements elements_per_thread;

  static int shared_memory(int threads, int elements) {
    return shared_bytes<Element>(padded<Element>(threads * elements, elements)) + shared_bytes<int>(threads);
  }

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const int tile_size = threads_per_block * elements_per_thread;
    const auto part = PairTile::number(block.index(), tile_size, n, run, splits);
    const auto tile = block.template shared<Element>(padded<Element>(tile_size, elements_per_thread));
    const auto splits_in_tile = block.template shared<int>(threads_per_block);
    using InFlight = Constant<16>;  // all 32 loads with their addresses need too many registers
    fill_tile<Element>(block, threads_per_block, elements_per_thread,
                       Lists{tile, elements_per_thread, part.a_count, tile_size}, part.count, InFlight{},
                       [&](int at) { return input.load(part.source(at)); });
    block.barrier();

    Registers<Element, Elements> merged(elements_per_thread);
    const RegionShare share{0,
                            tile_size,
                            part.a_count,
                            part.count - part.a_count,
                            block.thread(),
                            block.thread() == threads_per_block - 1};
    merge_region(merged, elements_per_thread, tile, share, splits_in_tile, block.thread(),
                 OrderOf<Element, LessThan>{}, [&] { block.barrier(); });
    block.barrier();
    write_padded_tile(block, merged, elements_per_thread, tile, output.from(block.index() * tile_size),
                      part.count);
  }

 private:
  /// A tile to which both parts are written one after the other.
  struct Lists {
    Shared<Element> tile;
    Elements elements;
    int a_count, tile_size;

    FATHOM_DEVICE
    void store(int at, const Element& element) const {
      const int position = at < a_count ? at : tile_size - 1 - (at - a_count);
      tile.store(padded<Element>(position, elements), element);
    }
  };
};

}  // namespace fathom
