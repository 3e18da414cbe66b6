// SPDX-License-Identifier: Apache-2.0
// Reads tiles from global memory into a block's registers or shared memory.
#pragma once

#include <fathom/algorithms/block/tile.h>

namespace fathom {

/// elements[i] = load(first + i · stride). With the thread's or the lane's number as `first`, and as many as
/// there are of them as `stride`, lanes read consecutive addresses.
template <class Element, class Count, class Load>
FATHOM_DEVICE
void load_strided(Registers<Element, Count>& elements, Count count, int first, int stride, Load load) {
  FATHOM_UNROLL
  for (int i = 0; i < count; ++i) elements[i] = load(first + i * stride);
}

/// The same of a list that ends at `end`, with padding() beyond it. Stops checking for it where all is there.
template <class Element, class Count, class Load, class Padding>
FATHOM_DEVICE
void load_strided_until(Registers<Element, Count>& elements, Count count, Index first, Index stride,
                        Index end, Load load, Padding padding) {
  if (first + (count - 1) * stride < end) {
    FATHOM_UNROLL
    for (int i = 0; i < count; ++i) elements[i] = load(first + i * stride);
  } else {
    FATHOM_UNROLL
    for (int i = 0; i < count; ++i)
      elements[i] = first + i * stride < end ? load(first + i * stride) : padding();
  }
}

/// Fills `elements` with load(begin), load(begin + 1), … as far as a list of `list_count` elements goes, and
/// then with the largest of them, which a network leaves behind the others. Returns false, having done
/// nothing, if the list has no element `begin`.
template <class Element, class Count, class Load, class LessThan>
FATHOM_DEVICE
bool load_padded(Registers<Element, Count>& elements, Count count, int begin, int list_count, Load load,
                 LessThan less) {
  if (begin >= list_count) return false;
  Element largest = load(begin);
  FATHOM_UNROLL
  for (int i = 0; i < count; ++i) {
    if (begin + i < list_count) {
      elements[i] = load(begin + i);
      if (compare(largest, elements[i], less)) largest = elements[i];
    }
  }
  FATHOM_UNROLL
  for (int i = 0; i < count; ++i)
    if (begin + i >= list_count) elements[i] = largest;
  return true;
}

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
  load_strided(elements, count_per_thread, block.thread() * count_per_thread, 1,
               [&](int at) { return tile.load(at); });
}

/// Fills the first `count` elements of a tile with load(position). Of a full tile, `in_flight` of a thread's
/// loads are under way before the first is stored.
template <class Element, class Threads, class Elements, class Tile, class InFlight, class Block, class Load>
FATHOM_DEVICE
void fill_tile(Block& block, Threads threads, Elements elements, Tile tile, int count, InFlight in_flight,
               Load load) {
  if (count == threads * elements) {
    FATHOM_UNROLL
    for (int first = 0; first < elements; first += in_flight) {
      Registers<Element, InFlight> loaded(in_flight);
      FATHOM_UNROLL
      for (int i = 0; i < in_flight; ++i)
        if (first + i < elements) loaded[i] = load(block.thread() + (first + i) * threads);
      FATHOM_UNROLL
      for (int i = 0; i < in_flight; ++i)
        if (first + i < elements) tile.store(block.thread() + (first + i) * threads, loaded[i]);
    }
  } else {
    for (int at = block.thread(); at < count; at += threads) tile.store(at, load(at));
  }
}

/// Passes every key of a list of n to one thread of the grid: `in_flight` of them at a time to
/// many(registers) of all threads of a block, and the last ones to one(key).
template <int in_flight, class Key, class Threads, class Block, class Many, class One>
FATHOM_DEVICE
void for_each_in_grid(Block& block, Threads threads, const Span<const Key>& keys, const Index& n, Many many,
                      One one) {
  const Index stride = Index(threads) * in_flight;
  for (Index first = block.index() * stride; first < n; first += block.blocks() * stride) {
    if (first + stride <= n) {
      Registers<Key, Constant<in_flight>> loaded(Constant<in_flight>{});
      FATHOM_UNROLL
      for (int i = 0; i < in_flight; ++i) loaded[i] = keys.load(first + block.thread() + i * threads);
      many(loaded);
    } else {
      FATHOM_NO_UNROLL
      for (Index i = first + block.thread(); i < n; i += threads) one(keys.load(i));
    }
  }
}

}  // namespace fathom
