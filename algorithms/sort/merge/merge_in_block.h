// Merges two sorted lists in shared memory; each thread produces its share in registers.
#pragma once

#include <fathom/algorithms/sort/merge/merge_path.h>
#include <fathom/algorithms/sort/merge/networks.h>
#include <fathom/algorithms/sort/records.h>

namespace fathom {

/// Two neighbouring sorted lists of a tile, and which share of their merge is the thread's: elements
/// [share·E, (share + 1)·E).
struct PairShare {
  int a_first, b_first, end;  ///< positions in the tile: a is [a_first, b_first), b is [b_first, end)
  int share;
  bool last;  ///< no further thread works on these lists
};

/// Fills `sorted` with the thread's share in order; beyond the end of the merged list its contents are
/// unspecified. All threads of the block call it; `splits` has one entry per thread; `wait` is the barrier
/// over the threads that share a merge. The E elements behind the lists must have been written, with
/// whatever: a last, partial share is read like the others. Items are elements, with ranks in a stable merge.
///
/// The lists' parts are read as one bitonic valley, `a` backwards and then `b` forwards, and sorted by a
/// network: the reads are independent of each other, while the textbook merge must wait for each read before
/// it knows the address of the next. On an H200 that merge is bound by this latency and by the eight
/// instructions of a step, which the network halves.
template <class Item, class Element, class Elements, class LessThan, class Wait>
FATHOM_DEVICE
void merge_share(Registers<Item, Elements>& sorted, Elements elements, Shared<Element> tile,
                 const PairShare& pair, Shared<int> splits, int thread, LessThan less, Wait wait) {
  const auto a = tile.from(pair.a_first), b = tile.from(pair.b_first);
  const int a_count = pair.b_first - pair.a_first, total = pair.end - pair.a_first;
  const int begin = min(pair.share * elements, total);
  const int count = min(int(elements), total - begin);
  const int a_begin = merge_path(a, a_count, b, total - a_count, begin, less);
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
    const auto rank = [&](int i) { return i < from_a ? from_a - 1 - i : i; };
    FATHOM_UNROLL
    for (int i = 0; i < elements; ++i) sorted[i] = with_rank<Item>(valley(i).load(0), rank(i));
    if (count < elements) {  // pad with the largest: the valley's tail stays in place
      const Element first = without_rank(sorted[0]), last = valley(count - 1).load(0);
      const Element largest = compare(first, last, less) ? last : first;
      FATHOM_UNROLL
      for (int i = 0; i < elements; ++i)
        if (i >= count) sorted[i] = with_rank<Item>(largest, rank(i));
    }
  }
  bitonic_merge(sorted, elements, less);
}

/// Writes the elements behind the first `count` of a tile, as merge_share() asks.
template <class Element, class Elements, class Block>
FATHOM_DEVICE
void pad_tile(Block& block, Elements elements, Shared<Element> tile, int count) {
  const int at = count + block.thread();
  if (block.thread() < elements && at < block.threads() * elements) tile.store(at, Element{});
}

/// Writes a tile that the threads hold in registers to `output` so that consecutive lanes write consecutive
/// addresses. Each warp goes through its own part of shared memory, which must not be in use otherwise.
/// `count` elements are valid.
template <class Item, class Element, class Elements, class Block>
FATHOM_DEVICE
void write_tile(Block& block, const Registers<Item, Elements>& sorted, Elements elements,
                Shared<Element> tile, ListOf<Element> output, int count) {
  const int warp_first = block.warp() * warp_width * elements;
  FATHOM_UNROLL
  for (int i = 0; i < elements; ++i) tile.store(block.thread() * elements + i, without_rank(sorted[i]));
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
