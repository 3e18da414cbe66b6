// SPDX-License-Identifier: Apache-2.0
// Merges a tile's parts of several runs in shared memory.
#pragma once

#include <fathom/algorithms/block/merge.h>
#include <fathom/algorithms/block/scan.h>
#include <fathom/algorithms/block/store.h>
#include <fathom/algorithms/sort/merge/kway/read_parts.h>

namespace fathom {

/// Shared memory of a merge of parts.
template <class Element>
struct PartsInBlock {
  typename TileOf<Element>::type tile;
  Shared<int> split_of_thread;
  Shared<Index> part_begin;  ///< in the input
  Shared<int> part_first;    ///< elements of the parts before it; one more than there are parts

  static int bytes(int ways, int threads, int elements) {
    return TileOf<Element>::bytes(threads * elements) + shared_bytes<int>(threads) +
           shared_bytes<Index>(ways) + shared_bytes<int>(ways + 1);
  }
  template <class Block, class Ways, class Threads, class Elements>
  FATHOM_DEVICE
  static PartsInBlock in(Block& block, Ways ways, Threads threads, Elements elements) {
    const auto tile = TileOf<Element>::in(block, threads * elements);
    const auto split_of_thread = block.template shared<int>(threads);
    const auto part_begin = block.template shared<Index>(ways);
    return {tile, split_of_thread, part_begin, block.template shared<int>(ways + 1)};
  }
};

/// The most elements that a tile may have, in whole rows of a warp. At every level each pair of lists
/// occupies whole shares of E, the last of which may be nearly empty.
inline int largest_tile_of_parts(int ways, int threads, int elements) {
  return (threads * elements - ways / 2 * (elements - 1)) / warp_width * warp_width;
}

/// Which pair of lists a thread works on at a level after which a list holds `merged` parts.
template <class Ways, class Elements>
FATHOM_DEVICE
PairShare share_of_parts(int thread, int merged, const Ways& ways, Elements elements_per_thread,
                         Shared<int> part_first) {
  PairShare pair{0, 0, 0, thread, false};
  for (int part = 0;;) {
    pair.a_first = pair.end;
    pair.b_first = part_first.load(part + merged / 2);
    pair.end = part_first.load(part + merged);
    part += merged;
    const int shares = (pair.end - pair.a_first + elements_per_thread - 1) / elements_per_thread;
    pair.last = pair.share >= shares - 1;
    if (pair.share < shares || part >= ways) return pair;
    pair.share -= shares;
  }
}

/// Reads a tile of `count` elements, whose parts `of` says, merges the parts pairwise in log K levels, and
/// writes the tile: the data pass through global memory once for log K levels.
template <class Element, class Order, class Block, class Ways, class Elements, class Place>
FATHOM_DEVICE
void merge_parts(Block& block, const ConstListOf<Element>& input, const PartsInBlock<Element>& of,
                 const Ways& ways, Elements elements_per_thread, const Place& output, int count) {
  const auto tile = of.tile;
  read_parts<Element>(block, input, ways, of.part_begin, of.part_first, tile);
  pad_tile(block, elements_per_thread, tile, count);
  block.barrier();

  Registers<Element, Elements> sorted(elements_per_thread);
  for (int merged = 2; merged <= ways; merged *= 2) {  // parts in a list after this level
    const PairShare pair = share_of_parts(block.thread(), merged, ways, elements_per_thread, of.part_first);
    merge_share(sorted, elements_per_thread, tile, pair, of.split_of_thread, block.thread(), Order{},
                [&] { block.barrier(); });
    block.barrier();
    if (merged < ways) {
      const int at = pair.a_first + pair.share * elements_per_thread;
      if (at + elements_per_thread <= pair.end) {
        store_consecutive(tile.from(at), 0, elements_per_thread, sorted);
      } else {
        FATHOM_UNROLL
        for (int i = 0; i < elements_per_thread; ++i)
          if (at + i < pair.end) tile.store(at + i, sorted[i]);
      }
      block.barrier();
    }
  }
  write_tile(block, sorted, elements_per_thread, tile, output(), count);
}

}  // namespace fathom
