// SPDX-License-Identifier: Apache-2.0
// Writes what a block has in registers or shared memory.
#pragma once

#include <fathom/algorithms/block/tile.h>

namespace fathom {

/// list[first + i · stride] = elements[i]: see load_strided().
template <class List, class Element, class Count>
FATHOM_DEVICE
void store_strided(const List& list, int first, int stride, Count count,
                   const Registers<Element, Count>& elements) {
  FATHOM_UNROLL
  for (int i = 0; i < count; ++i) list.store(first + i * stride, elements[i]);
}
template <class List, class Element, class Count>
FATHOM_DEVICE
void store_consecutive(const List& list, int first, Count count, const Registers<Element, Count>& elements) {
  store_strided(list, first, 1, count, elements);
}

/// Sets the first `count` elements of an array in shared memory. Between this and accesses of other threads
/// there must be a barrier.
template <class T, class Threads, class Count, class Block>
FATHOM_DEVICE
void fill_shared(Block& block, Threads threads, const Shared<T>& array, const Count& count, const T& value) {
  for (int i = block.thread(); i < count; i += threads) array.store(i, value);
}

/// Writes the elements behind the first `count` of a tile, as merge_share() asks.
template <class Elements, class Tile, class Block>
FATHOM_DEVICE
void pad_tile(Block& block, Elements elements, Tile tile, int count) {
  const int at = count + block.thread();
  if (block.thread() < elements && at < block.threads() * elements) tile.store(at, {});
}

/// Writes a tile that the threads hold in registers to `output` so that consecutive lanes write consecutive
/// addresses. Each warp goes through its own part of shared memory, which must not be in use otherwise.
/// `count` elements are valid.
template <class Element, class Elements, class Tile, class Block>
FATHOM_DEVICE
void write_tile(Block& block, const Registers<Element, Elements>& sorted, Elements elements, Tile tile,
                ListOf<Element> output, int count) {
  const int warp_first = block.warp() * warp_width * elements;
  store_consecutive(tile, block.thread() * elements, elements, sorted);
  block.warp_barrier();
  const int first = warp_first + block.lane();
  if (count == block.threads() * elements) {
    FATHOM_UNROLL
    for (int i = 0; i < elements; ++i)
      output.store(first + i * warp_width, tile.load(first + i * warp_width));
  } else {
    for (int at = first; at < min(count, warp_first + warp_width * elements); at += warp_width)
      output.store(at, tile.load(at));
  }
}

/// The number of elements of 4 bytes in a sector, the least that memory is written in: two parts of a sector
/// take longer than the whole. Elements of 8 bytes that begin at multiples of it begin at a sector, too.
inline constexpr int elements_of_sector = 8;

/// Writes a tile as write_tile() does, to elements [first, first + count) of `output`, which begins at a
/// sector: so does what a warp writes at a time, and only at both ends of its elements there are parts of
/// sectors.
template <class Element, class Elements, class Tile, class Block>
FATHOM_DEVICE
void write_tile_in_sectors(Block& block, const Registers<Element, Elements>& sorted, Elements elements,
                           Tile tile, const ListOf<Element>& output, Index first, int count) {
  const int begin = block.warp() * warp_width * elements, end = min(count, begin + warp_width * elements);
  store_consecutive(tile, block.thread() * elements, elements, sorted);
  block.warp_barrier();
  const int row = begin - int((first + begin) % elements_of_sector) + block.lane();
  FATHOM_UNROLL
  for (int i = 0; i <= elements; ++i) {
    const int at = row + i * warp_width;
    if (at >= begin && at < end) output.store(first + at, tile.load(at));
  }
}

/// Writes a tile of few elements as write_tile() does: warps without any do nothing.
template <class Element, class Elements, class Block>
FATHOM_DEVICE
void write_front(Block& block, const Registers<Element, Elements>& sorted, Elements elements,
                 Shared<Element> tile, ListOf<Element> output, int count) {
  const int warp_begin = block.warp() * warp_width * elements, first = warp_begin + block.lane();
  if (warp_begin >= count) return;
  store_consecutive(tile, block.thread() * elements, elements, sorted);
  block.warp_barrier();
  if (warp_begin + warp_width * elements <= count) {
    FATHOM_UNROLL
    for (int i = 0; i < elements; ++i)
      output.store(first + i * warp_width, tile.load(first + i * warp_width));
  } else {
    FATHOM_NO_UNROLL
    for (int at = first; at < count; at += warp_width) output.store(at, tile.load(at));
  }
}

}  // namespace fathom
