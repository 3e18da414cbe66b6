// SPDX-License-Identifier: Apache-2.0
// Merges two sorted lists in shared memory without bank conflicts, for any input (CF-Merge:
// sitchinava2025).
//
// A pair of lists has a region of L elements, a multiple of E: list a ascending from its begin, list b
// descending to its end. The E elements from which a thread merges its share of the output, a's from a_begin
// and b's from b_begin with a_begin + b_begin ≡ 0 (mod E), then lie at E different positions modulo E. So in
// step j each thread reads its element whose position is j modulo E, and the 32 threads of a warp read at 32
// different multiples of E from there: in different banks if the tile is padded. What a thread receives is
// its part of b descending and of a ascending, rotated: a rotated bitonic sequence, which the bitonic merge
// of a power of two elements sorts.
#pragma once

#include <fathom/algorithms/block/merge_path.h>
#include <fathom/algorithms/block/networks.h>
#include <fathom/algorithms/block/padding.h>
#include <fathom/algorithms/block/records.h>

namespace fathom {

/// One ascending or descending list of a region.
template <class Key, class Elements>
struct PaddedList {
  Shared<Key> tile;
  Elements elements;
  int first;      ///< position of its first element
  int direction;  ///< +1 or −1

  FATHOM_DEVICE
  Key load(int i) const { return tile.load(padded<Key>(first + direction * i, elements)); }
};

/// A thread's part of the merge of a region: elements [share·E, (share + 1)·E) of the result.
struct RegionShare {
  int first;   ///< of the region, a multiple of E
  int length;  ///< of the region, a multiple of E
  int a_count, b_count;
  int share;
  bool last;  ///< no further thread works on this region
};

/// Fills `keys` with the thread's share in order; beyond the end of the lists its contents are unspecified.
/// Elements is a power of two. All threads of the block call it; `splits` has one entry per thread; `wait` is
/// the barrier over the threads that share a region.
template <class Key, class Elements, class LessThan, class Wait>
FATHOM_DEVICE
void merge_region(Registers<Key, Elements>& keys, Elements elements, Shared<Key> tile,
                  const RegionShare& region, Shared<int> splits, int thread, LessThan less, Wait wait) {
  const PaddedList<Key, Elements> a{tile, elements, region.first, 1},
      b{tile, elements, region.first + region.length - 1, -1};
  const int total = region.a_count + region.b_count;
  const int begin = min(region.share * elements, total);
  const int end = min(begin + int(elements), total);
  const int a_begin = merge_path(a, region.a_count, b, region.b_count, begin, less);
  splits.store(thread, a_begin);
  wait();
  const int a_end = region.last ? region.a_count : splits.load(thread + 1);
  const int from_a = a_end - a_begin;

  if (end - begin == elements) {
    // Positions j below `turn` are one row of E further than the others. Of those, list a's are [turn, turn +
    // from_a) modulo E, and all others b's.
    const int turn = a_begin & (elements - 1);
    const int a_row = region.first + a_begin - turn;
    const int b_row = region.first + region.length - (begin - a_begin) - turn - elements;
    const bool wraps = turn + from_a > elements;
    const int low_end = wraps ? turn + from_a - elements : turn;
    const int middle_end = wraps ? turn : turn + from_a;
    // Rows that are not used may be negative.
    const auto row_at = [&](int row) { return tile.from(padded<Key>(max(row, 0), elements)); };
    const auto low = row_at(wraps ? a_row + elements : b_row + elements);
    const auto middle = row_at(wraps ? b_row + elements : a_row);
    const auto high = row_at(wraps ? a_row : b_row);
    FATHOM_UNROLL
    for (int j = 0; j < elements; ++j) {
      const auto row = j < low_end ? low : j < middle_end ? middle : high;
      keys[j] = row.load(j);
    }
  } else if (begin < end) {
    // Not rotated and padded with the largest, so that the padding stays behind the elements that equal it.
    const int from_b = end - begin - from_a;
    const auto valley = [&](int i) {
      return i < from_b ? b.load(end - a_end - 1 - i) : a.load(a_begin + i - from_b);
    };
    const Key first = valley(0), last = valley(end - begin - 1);
    const Key largest = compare(first, last, less) ? last : first;
    FATHOM_UNROLL
    for (int j = 0; j < elements; ++j) keys[j] = j < end - begin ? valley(j) : largest;
  }
  bitonic_merge(keys, elements, less);
}

/// Stores the first `count` of the thread's elements at `first` and on in `direction`; all for count ≥ E.
/// `first` is a multiple of E, or one less if they descend.
template <class Key, class Elements>
FATHOM_DEVICE
void store_share(const Registers<Key, Elements>& keys, Elements elements, Shared<Key> tile, int first,
                 int direction, int count) {
  if (count >= elements) {
    // Selects positions, not keys, which would break up the network's last minima and maxima. Threads of one
    // warp that store in opposite directions have conflicts, the same for every input.
    const auto row = tile.from(padded<Key>(direction > 0 ? first : first - (elements - 1), elements));
    FATHOM_UNROLL
    for (int j = 0; j < elements; ++j) row.store(direction > 0 ? j : elements - 1 - j, keys[j]);
  } else {
    FATHOM_UNROLL
    for (int j = 0; j < elements; ++j)
      if (j < count) tile.store(padded<Key>(first + direction * j, elements), keys[j]);
  }
}

/// Writes a tile that the threads hold in registers to `output` so that consecutive lanes write consecutive
/// addresses. Each warp goes through its own part of shared memory, which must not be in use otherwise.
/// `count` keys are valid.
template <class Key, class Elements, class Block>
FATHOM_DEVICE
void write_padded_tile(Block& block, const Registers<Key, Elements>& keys, Elements elements,
                       Shared<Key> tile, ListOf<Key> output, int count) {
  store_share(keys, elements, tile, block.thread() * elements, 1, elements);
  block.warp_barrier();
  const int first = block.warp() * warp_width * elements + block.lane();
  const auto row = tile.from(padded<Key>(first, elements));
  const auto to = output.from(min(first, count));
  const auto write = [&](int i) {
    to.store(i * warp_width, row.load(padded<Key>(i * warp_width, elements)));
  };
  if (count >= (block.warp() + 1) * warp_width * elements) {
    FATHOM_UNROLL
    for (int i = 0; i < elements; ++i) write(i);
  } else {
    FATHOM_NO_UNROLL
    for (int i = 0; first + i * warp_width < count; ++i) write(i);
  }
}

}  // namespace fathom
