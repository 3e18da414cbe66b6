// Merges two sorted lists in shared memory; each thread produces its share in registers.
#pragma once

#include <fathom/algorithms/block/merge_path.h>
#include <fathom/algorithms/block/networks.h>
#include <fathom/algorithms/block/records.h>

namespace fathom {

/// Two neighbouring sorted lists of a tile, and which share of their merge is the thread's: elements
/// [share·E, (share + 1)·E).
struct PairShare {
  int a_first, b_first, end;  ///< positions in the tile: a is [a_first, b_first), b is [b_first, end)
  int share;
  bool last;  ///< no further thread works on these lists
};

/// Records in shared memory, keys and values in an array each.
template <class Key, class Value>
struct SplitTile {
  Shared<Key> keys;
  Shared<Value> values;

  FATHOM_DEVICE
  Record<Key, Value> load(int i) const { return {keys.load(i), values.load(i)}; }
  FATHOM_DEVICE
  void store(int i, const Record<Key, Value>& record) const {
    keys.store(i, Key(record.key));
    values.store(i, Value(record.value));
  }
  FATHOM_DEVICE
  SplitTile from(int offset) const { return {keys.from(offset), values.from(offset)}; }
};

/// Its records as they go through a network: keys with positions.
template <class Key, class Value>
struct KeysWithPositions {
  Shared<Key> keys;
  int first = 0;

  FATHOM_DEVICE
  Record<Key, Value> load(int i) const { return {keys.load(first + i), position_as<Value>(u32(first + i))}; }
  FATHOM_DEVICE
  KeysWithPositions from(int offset) const { return {keys, first + offset}; }
};

/// What a merge path through a list compares: the keys alone where they decide, or one load would be two.
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

  if (count > 0) {
    const int from_a = a_end - a_begin;
    // One load from a selected address, not a selection between two loads: that would make every step a
    // divergent branch.
    const auto valley = [&](int i) {
      return i < from_a ? a.from(a_end - 1 - i) : b.from(begin - a_begin - from_a + i);
    };
    FATHOM_UNROLL
    for (int i = 0; i < elements; ++i) sorted[i] = valley(i).load(0);
    if (count < elements) {  // pad with the largest: the valley's tail stays in place
      const Element first = sorted[0], last = valley(count - 1).load(0);
      const Element largest = compare(first, last, less) ? last : first;
      FATHOM_UNROLL
      for (int i = 0; i < elements; ++i)
        if (i >= count) sorted[i] = largest;
    }
  }
  bitonic_merge(sorted, elements, less);
}

/// Writes the elements behind the first `count` of a tile, as merge_share() asks.
template <class Elements, class Tile, class Block>
FATHOM_DEVICE
void pad_tile(Block& block, Elements elements, Tile tile, int count) {
  const int at = count + block.thread();
  if (block.thread() < elements && at < block.threads() * elements) tile.store(at, {});
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

/// How a tile that is merged lies in shared memory.
template <class Element>
struct TileOf {
  using type = Shared<Element>;

  static constexpr int bytes(int count) { return shared_bytes<Element>(count); }
  template <class Block>
  FATHOM_DEVICE
  static type in(Block& block, int count) { return block.template shared<Element>(count); }
};
template <class Key, class Value>
struct TileOf<Record<Key, Value>> {
  using type = SplitTile<Key, Value>;

  static constexpr int bytes(int count) { return shared_bytes<Key>(count) + shared_bytes<Value>(count); }
  template <class Block>
  FATHOM_DEVICE
  static type in(Block& block, int count) {
    const auto keys = block.template shared<Key>(count);
    return {keys, block.template shared<Value>(count)};
  }
};

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

/// Writes a tile that the threads hold in registers to `output` so that consecutive lanes write consecutive
/// addresses. Each warp goes through its own part of shared memory, which must not be in use otherwise.
/// `count` elements are valid.
template <class Element, class Elements, class Tile, class Block>
FATHOM_DEVICE
void write_tile(Block& block, const Registers<Element, Elements>& sorted, Elements elements, Tile tile,
                ListOf<Element> output, int count) {
  const int warp_first = block.warp() * warp_width * elements;
  FATHOM_UNROLL
  for (int i = 0; i < elements; ++i) tile.store(block.thread() * elements + i, sorted[i]);
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

}  // namespace fathom
