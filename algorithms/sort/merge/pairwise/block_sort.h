// SPDX-License-Identifier: Apache-2.0
// The base case of the pairwise mergesort (karsin2018 §4.1): every block sorts one tile.
#pragma once

#include <fathom/algorithms/sort/merge/pairwise/sort_tile.h>

namespace fathom {

/// Sorts each tile of threads × elements elements: first in registers, then by merges within the block. One
/// block per tile. LessThan orders keys.
template <class Element, class LessThan, class Stability = Unstable, class Threads = Number,
          class Elements = Number>
struct BlockSort {
  static constexpr const char* header = "fathom/algorithms/sort/merge/pairwise/block_sort.h";

  using Sort = TileSort<Element, LessThan, Stability, Threads, Elements>;

  ConstListOf<Element> input;
  ListOf<Element> output;
  Index n;
  Threads threads_per_block;
  Elements elements_per_thread;

  static int shared_memory(int threads, int elements) { return Sort::shared_memory(threads, elements); }

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const auto range = TileRange::number(block.index(), threads_per_block * elements_per_thread, n);
    const Sort sort(block, threads_per_block, elements_per_thread);
    Registers<Element, Elements> sorted(elements_per_thread);
    sort(block, input.from(range.first), range.count, sorted);
    write_tile(block, sorted, elements_per_thread, sort.tile(), output.from(range.first), range.count);
  }
};

}  // namespace fathom
