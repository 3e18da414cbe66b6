// One merge round of the pairwise mergesort (karsin2018 §4.1): every block writes one tile of the merged
// runs.
#pragma once

#include <fathom/algorithms/sort/merge/merge_in_block.h>
#include <fathom/algorithms/sort/merge/runs.h>

namespace fathom {

/// Merges pairs of runs of length `run`, as partitioned by MergePathPartition. One block per tile. LessThan
/// orders keys.
template <class Element, class LessThan, class Stability = Unstable, class Threads = Number,
          class Elements = Number>
struct MergeTiles {
  static constexpr const char* header = "fathom/algorithms/sort/merge/pairwise/merge_tiles.h";

  ConstListOf<Element> input;
  ListOf<Element> output;
  Span<const Index> splits;
  Index n;
  Index run;
  Threads threads_per_block;
  Elements elements_per_thread;

  static int shared_memory(int threads, int elements) {
    return shared_bytes<Element>(threads * elements) + shared_bytes<int>(threads);
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

    const auto tile = block.template shared<Element>(tile_size);
    const auto splits_in_tile = block.template shared<int>(threads_per_block);
    read_lists(block, input.from(runs.a_first + a_begin), a_count, input.from(runs.b_first + begin - a_begin),
               count, tile);
    pad_tile(block, elements_per_thread, tile, count);
    block.barrier();

    const PairShare pair{0, a_count, count, block.thread(), block.thread() == threads_per_block - 1};
    Registers<SortedBy<Element, Stability>, Elements> merged(elements_per_thread);
    merge_share(merged, elements_per_thread, tile, pair, splits_in_tile, block.thread(),
                OrderOf<Element, LessThan>{}, [&] { block.barrier(); });
    block.barrier();
    write_tile(block, merged, elements_per_thread, tile, output.from(first), count);
  }

 private:
  /// Loads both parts, one after the other, into shared memory; all of a thread's reads are in flight before
  /// the first is stored.
  template <class Block>
  FATHOM_DEVICE
  void read_lists(Block& block, ConstListOf<Element> a, int a_count, ConstListOf<Element> b, int count,
                  Shared<Element> tile) const {
    const auto source = [&](int at) { return at < a_count ? a.from(at) : b.from(at - a_count); };
    if (count == threads_per_block * elements_per_thread) {
      Registers<Element, Elements> keys(elements_per_thread);
      FATHOM_UNROLL
      for (int i = 0; i < elements_per_thread; ++i)
        keys[i] = source(block.thread() + i * threads_per_block).load(0);
      FATHOM_UNROLL
      for (int i = 0; i < elements_per_thread; ++i)
        tile.store(block.thread() + i * threads_per_block, keys[i]);
    } else {
      for (int at = block.thread(); at < count; at += threads_per_block) tile.store(at, source(at).load(0));
    }
  }
};

}  // namespace fathom
