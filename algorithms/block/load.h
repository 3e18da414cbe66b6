// Reads a tile so that every thread has consecutive elements of it.
#pragma once

#include <fathom/algorithms/block/records.h>

namespace fathom {

/// Thread t gets elements t · count_per_thread, … of the `count` elements of a tile; what it gets beyond them
/// is not specified. A warp loads its elements with consecutive lanes at consecutive addresses, and passes
/// them on through its part of `tile`, which has room for all threads. No thread may have to read that part
/// before.
template <class Element, class Elements, class Block>
FATHOM_DEVICE
void load_consecutive(Block& block, const ConstListOf<Element>& source, int count,
                      const Shared<Element>& tile, const Elements& count_per_thread,
                      Registers<Element, Elements>& elements) {
  const int of_warp = block.warp() * warp_width * count_per_thread;
  FATHOM_UNROLL
  for (int i = 0; i < count_per_thread; ++i) {
    const int at = of_warp + i * warp_width + block.lane();
    if (at < count) elements[i] = source.load(at);
  }
  FATHOM_UNROLL
  for (int i = 0; i < count_per_thread; ++i) tile.store(of_warp + i * warp_width + block.lane(), elements[i]);
  block.warp_barrier();
  FATHOM_UNROLL
  for (int i = 0; i < count_per_thread; ++i) elements[i] = tile.load(block.thread() * count_per_thread + i);
}

}  // namespace fathom
