// SPDX-License-Identifier: Apache-2.0
// Sorts elements of any number up to a block's tile, as BlockSort does whole tiles.
#pragma once

#include <fathom/algorithms/block/load.h>
#include <fathom/algorithms/block/merge.h>
#include <fathom/algorithms/block/store.h>

namespace fathom {

/// Fills `sorted` with the thread's share of the elements load(0) … load(count − 1) in order: thread i has
/// elements [i·E, (i + 1)·E), of which those below `count` are valid. The time is that of `count` elements:
/// warps without elements only pass the barriers, and runs longer than `count` are not merged. All threads of
/// the block call it; count ≤ threads × elements. `tile` has as many elements, `splits` one per thread; both
/// are in use until the next barrier.
template <class Element, class Elements, class Block, class Load, class LessThan>
FATHOM_DEVICE
void sort_in_block(Block& block, Registers<Element, Elements>& sorted, Elements elements,
                   Shared<Element> tile, Shared<int> splits, int count, Load load, LessThan less) {
  const int begin = block.thread() * elements, warp_begin = block.warp() * warp_width * elements;
  const bool active = warp_begin < count;
  if (warp_begin + warp_width * elements <= count) {
    // It does not matter which lane sorts which elements.
    load_strided(sorted, elements, warp_begin + block.lane(), warp_width, load);
  } else {
    // Each thread takes consecutive elements, so that the valid ones of all threads stay in front.
    load_padded(sorted, elements, begin, count, load, less);
  }
  if (active) odd_even_merge_sort(sorted, elements, less);

  // Merges the runs of `width` threads; up to a warp, only the warp must wait.
  for (int width = 2; width / 2 * elements < count; width *= 2) {
    const auto wait = [&] { width <= warp_width ? block.warp_barrier() : block.barrier(); };
    if (active) store_consecutive(tile, begin, elements, sorted);
    wait();
    const int share = block.thread() & (width - 1), run = width / 2 * elements;
    const int first = min(begin - share * elements, count), total = min(2 * run, count - first);
    const int a_count = min(run, total), diagonal = min(share * elements, total);
    const auto a = tile.from(first), b = tile.from(first + a_count);
    int a_begin = 0;
    if (active) {
      a_begin = merge_path(compared(a, less), a_count, compared(b, less), total - a_count, diagonal, less);
      splits.store(block.thread(), a_begin);
    }
    wait();
    if (active) {
      const int valid = min(int(elements), total - diagonal);
      // The next thread has no elements if this one has the last.
      const bool last = share == width - 1 || valid < elements || diagonal + elements >= total;
      const int a_end = last ? a_count : splits.load(block.thread() + 1);
      if (valid > 0) read_valley(sorted, elements, a, a_begin, a_end, b, diagonal, valid, less);
      bitonic_merge(sorted, elements, less);
    }
    wait();
  }
}

}  // namespace fathom
