// SPDX-License-Identifier: Apache-2.0
// Reads a tile of a K-way merge: its part of each run.
#pragma once

#include <fathom/algorithms/block/scan.h>
#include <fathom/algorithms/block/tile.h>

namespace fathom {

/// Elements of a part that a warp reads together: a few aligned rows.
inline constexpr int rows_of_chunk = 4, chunk_size = rows_of_chunk * warp_width;
/// A thread's elements of a chunk.
struct Chunk {
  Index source;  ///< of the thread's first element, in the input
  int element;   ///< the same within the part; negative before the part
  int size;      ///< of the part
  int place;     ///< of the thread's first element, in the tile
  bool whole;    ///< all elements of the chunk are of the part

  /// Calls action(row) for each row in which the thread has an element.
  template <class Action>
  FATHOM_DEVICE
  void for_each_row(Action action) const {
    if (whole) {
      FATHOM_UNROLL
      for (int row = 0; row < rows_of_chunk; ++row) action(row);
    } else {
      FATHOM_UNROLL
      for (int row = 0; row < rows_of_chunk; ++row) {
        const int at = element + row * warp_width;
        if (at >= 0 && at < size) action(row);
      }
    }
  }
};

/// Reads `ways` parts of a list, one after the other, into a tile, a warp a chunk at a time. Part k begins at
/// part_begin[k] in the list and at part_first[k] in the tile; part_first has one element more.
template <class Element, class Ways, class Tile, class Block>
FATHOM_DEVICE
void read_parts(Block& block, const ConstListOf<Element>& input, const Ways& ways, Shared<Index> part_begin,
                Shared<int> part_first, Tile tile) {
  using InFlight = Constant<4>;  // chunks
  // Lane k knows part k.
  const int k = min(block.lane(), int(ways) - 1);
  const int place = part_first.load(k);
  const Index begin = part_begin.load(k);
  const int size = part_first.load(k + 1) - place;
  const int skipped = int(begin % warp_width);
  const int own_chunks = block.lane() < ways ? int(ceil_div(size + skipped, chunk_size)) : 0;
  const int chunks = inclusive_scan_warp(block, own_chunks, Plus{});  // of this part and those before
  const int all_chunks = block.shuffle(chunks, warp_width - 1);
  const int element = -(chunks - own_chunks) * chunk_size - skipped;  // in chunk 0

  const InFlight in_flight{};
  for (int first = block.warp(); first < all_chunks; first += block.warps() * in_flight) {
    Registers<Chunk, InFlight> chunk(in_flight);
    Registers<Element, Constant<4 * rows_of_chunk>> elements(Constant<4 * rows_of_chunk>{});
    FATHOM_UNROLL
    for (int i = 0; i < in_flight; ++i) {
      const int at = first + i * block.warps();
      const int part = min(block.reduce_add(chunks <= at ? 1 : 0), int(ways) - 1);
      const int first_element = block.shuffle(element, part) + at * chunk_size;
      const int part_size = at < all_chunks ? block.shuffle(size, part) : 0;
      const int in_part = first_element + block.lane();
      chunk[i] = {block.shuffle(begin, part) + in_part, in_part, part_size,
                  block.shuffle(place, part) + in_part,
                  first_element >= 0 && first_element + chunk_size <= part_size};
      chunk[i].for_each_row([&](int row) {
        elements[i * rows_of_chunk + row] = input.load(chunk[i].source + row * warp_width);
      });
    }
    FATHOM_UNROLL
    for (int i = 0; i < in_flight; ++i)
      chunk[i].for_each_row(
          [&](int row) { tile.store(chunk[i].place + row * warp_width, elements[i * rows_of_chunk + row]); });
  }
}

}  // namespace fathom
