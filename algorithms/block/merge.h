// SPDX-License-Identifier: Apache-2.0
// Merges two sorted lists in shared memory; each thread produces its share in registers.
#pragma once

#include <fathom/algorithms/block/merge_path.h>
#include <fathom/algorithms/block/networks.h>
#include <fathom/algorithms/block/tile.h>

namespace fathom {

/// Two neighbouring sorted lists of a tile, and which share of their merge is the thread's: elements
/// [share·E, (share + 1)·E).
struct PairShare {
  int a_first, b_first, end;  ///< positions in the tile: a is [a_first, b_first), b is [b_first, end)
  int share;
  bool last;  ///< no further thread works on these lists
};

/// Records of a SplitTile as they go through a network: keys with their positions.
template <class Key, class Value>
struct KeysWithPositions {
  Shared<Key> keys;
  int first = 0;

  FATHOM_DEVICE
  Record<Key, Value> load(int i) const { return {keys.load(first + i), position_as<Value>(u32(first + i))}; }
  FATHOM_DEVICE
  KeysWithPositions from(int offset) const { return {keys, first + offset}; }
};

/// The list that a merge path compares: the keys alone where they decide, or one load would be two.
template <class List, class LessThan>
FATHOM_DEVICE
List compared(List list, LessThan) {
  return list;
}
template <class Key, class Value, class LessThan>
FATHOM_DEVICE
SharedKeys<Key, Value> compared(Shared<Record<Key, Value>> list, ByKey<LessThan>) {
  return {list};
}
/// The positions of list `a` are less than those of `b`.
template <class Key, class Value, class LessThan>
FATHOM_DEVICE
Shared<Key> compared(KeysWithPositions<Key, Value> list, LessThan) {
  return list.keys.from(list.first);
}

/// Reads a's elements [a_begin, a_end) backwards and then b's from begin − a_begin on, `count` > 0 in all:
/// first falling and then rising, as bitonic_merge() asks. What lies behind them must have been written, with
/// whatever.
template <class Element, class Elements, class List, class LessThan>
FATHOM_DEVICE
void read_valley(Registers<Element, Elements>& valley, Elements elements, const List& a, int a_begin,
                 int a_end, const List& b, int begin, int count, LessThan less) {
  const int from_a = a_end - a_begin;
  // One load from a selected address, not a selection between two loads: that would make every step a
  // divergent branch.
  const auto place = [&](int i) {
    return i < from_a ? a.from(a_end - 1 - i) : b.from(begin - a_begin - from_a + i);
  };
  FATHOM_UNROLL
  for (int i = 0; i < elements; ++i) valley[i] = place(i).load(0);
  if (count < elements) {  // pad with the largest: the valley's tail stays in place
    const Element first = valley[0], last = place(count - 1).load(0);
    const Element largest = compare(first, last, less) ? last : first;
    FATHOM_UNROLL
    for (int i = 0; i < elements; ++i)
      if (i >= count) valley[i] = largest;
  }
}

/// Fills `sorted` with the thread's share in order; beyond the end of the merged list its contents are
/// unspecified. All threads of the block call it; `splits` has one entry per thread; `wait` is the barrier
/// over the threads that share a merge. The E elements behind the lists must have been written, with
/// whatever: a last, partial share is read like the others.
///
/// The lists' parts are read as one bitonic valley, `a` backwards and then `b` forwards, and sorted by a
/// network: the reads are independent of each other, while the textbook merge must wait for each read before
/// it knows the address of the next. On an H200 that merge is bound by this latency and by the eight
/// instructions of a step, which the network halves.
template <class Element, class Elements, class Tile, class LessThan, class Wait>
FATHOM_DEVICE
void merge_share(Registers<Element, Elements>& sorted, Elements elements, Tile tile, const PairShare& pair,
                 Shared<int> splits, int thread, LessThan less, Wait wait) {
  const auto a = tile.from(pair.a_first), b = tile.from(pair.b_first);
  const int a_count = pair.b_first - pair.a_first, total = pair.end - pair.a_first;
  const int begin = min(pair.share * elements, total);
  const int count = min(int(elements), total - begin);
  const int a_begin = merge_path(compared(a, less), a_count, compared(b, less), total - a_count, begin, less);
  splits.store(thread, a_begin);
  wait();
  const int a_end = pair.last ? a_count : splits.load(thread + 1);

  if (count > 0) read_valley(sorted, elements, a, a_begin, a_end, b, begin, count, less);
  bitonic_merge(sorted, elements, less);
}

/// The same of records, whose values stay in the tile while their keys go through the network with their
/// positions. Equal keys keep their order if `less` compares positions, too.
template <class Key, class Value, class Elements, class LessThan, class Wait>
FATHOM_DEVICE
void merge_share(Registers<Record<Key, Value>, Elements>& sorted, Elements elements,
                 SplitTile<Key, Value> tile, const PairShare& pair, Shared<int> splits, int thread,
                 LessThan less, Wait wait) {
  merge_share(sorted, elements, KeysWithPositions<Key, Value>{tile.keys}, pair, splits, thread, less, wait);
  if (pair.a_first + pair.share * elements >= pair.end) return;
  FATHOM_UNROLL
  for (int i = 0; i < elements; ++i) sorted[i].value = tile.values.load(position_in(sorted[i]));
}

}  // namespace fathom
