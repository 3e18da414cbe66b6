// SPDX-License-Identifier: Apache-2.0
// One merge round of the pairwise mergesort (karsin2018 §4.1): every block writes one tile of the merged
// runs.
#pragma once

#include <fathom/algorithms/sort/merge/merge_pair.h>

namespace fathom {

/// Merges pairs of runs of length `run`, as partitioned by MergePathPartition. One block per tile. LessThan
/// orders keys.
template <class Element, class LessThan, class Stability = Unstable, class Threads = Number,
          class Elements = Number>
struct MergeTiles {
  static constexpr const char* header = "fathom/algorithms/sort/merge/pairwise/merge_tiles.h";

  using Merge = PairMerge<Element, LessThan, Stability>;

  ConstListOf<Element> input;
  ListOf<Element> output;
  Span<const Index> splits;
  Index n;
  Index run;
  Threads threads_per_block;
  Elements elements_per_thread;

  static int shared_memory(int threads, int elements) { return Merge::shared_memory(threads, elements); }

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const int tile_size = threads_per_block * elements_per_thread;
    const auto part = PairTile::number(block.index(), tile_size, n, run, splits);
    const Merge merge(block, threads_per_block, elements_per_thread);
    Registers<Element, Elements> merged(elements_per_thread);
    merge(block, threads_per_block, elements_per_thread, input, part, merged);
    write_tile(block, merged, elements_per_thread, merge.tile(), output.from(block.index() * tile_size),
               part.count);
  }
};

}  // namespace fathom
