// One merge round of the pairwise mergesort (karsin2018 §4.1): every block writes one tile of the merged
// runs.
#pragma once

#include <fathom/algorithms/block/merge.h>
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
    const Index first = block.index() * tile_size;
    const RunPair runs = pair_around(first, run, n);
    const Index begin = first - runs.a_first;  // of this tile within the merged pair
    const int count = int(min<Index>(runs.count() - begin, tile_size));
    const Index a_begin = splits.load(block.index());
    const bool last_of_pair = begin + count == runs.count();
    const int a_count = int((last_of_pair ? runs.a_count() : splits.load(block.index() + 1)) - a_begin);

    const auto tile = Tile::in(block, tile_size);
    const auto splits_in_tile = block.template shared<int>(threads_per_block);
    const Index from_a = runs.a_first + a_begin, from_b = runs.b_first + begin - a_begin - a_count;
    fill_tile<Element>(block, threads_per_block, elements_per_thread, tile, count, elements_per_thread,
                       [&](int at) { return input.load((at < a_count ? from_a : from_b) + at); });
    pad_tile(block, elements_per_thread, tile, count);
    block.barrier();

    const PairShare pair{0, a_count, count, block.thread(), block.thread() == threads_per_block - 1};
    Registers<Element, Elements> merged(elements_per_thread);
    merge_share(merged, elements_per_thread, tile, pair, splits_in_tile, block.thread(),
                OrderOf<Element, LessThan, Stability>{}, [&] { block.barrier(); });
    block.barrier();
    write_tile(block, merged, elements_per_thread, tile, output.from(first), count);
  }
};

}  // namespace fathom
