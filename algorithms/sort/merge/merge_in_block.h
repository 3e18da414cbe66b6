// Merges two sorted lists in shared memory; each thread produces its share in registers.
#pragma once

#include <fathom/algorithms/sort/merge/merge_path.h>
#include <fathom/algorithms/sort/merge/networks.h>
#include <fathom/algorithms/sort/records.h>

namespace fathom {

/// A thread's part of merging two lists: it produces elements [diagonal, diagonal + elements) of the result.
template <class Element>
struct MergeTask {
  Shared<Element> a, b;
  int a_count, b_count;
  int diagonal;
  bool last_of_merge;  ///< no further thread works on these lists
};

/// Fills `sorted` with the thread's share in order; beyond the end of the merged list its contents are
/// unspecified. All threads of the block call it; `splits` has one entry per thread; `wait` is the barrier
/// over the threads that share a merge. Items are elements, with ranks in a stable merge.
///
/// The lists' parts are read as one bitonic valley, `a` backwards and then `b` forwards, and sorted by a
/// network: the reads are independent of each other, while the textbook merge must wait for each read before
/// it knows the address of the next. On an H200 that merge is bound by this latency and by the eight
/// instructions of a step, which the network halves.
template <class Item, class Element, class Elements, class LessThan, class Wait>
FATHOM_DEVICE
void merge_into_registers(Registers<Item, Elements>& sorted, Elements elements,
                          const MergeTask<Element>& task, Shared<int> splits, int thread, LessThan less,
                          Wait wait) {
  const int total = task.a_count + task.b_count;
  const int begin = min(task.diagonal, total);
  const int end = min(begin + int(elements), total);
  const int a_begin = merge_path(task.a, task.a_count, task.b, task.b_count, begin, less);
  splits.store(thread, a_begin);
  wait();
  const int a_end = task.last_of_merge ? task.a_count : splits.load(thread + 1);

  const int from_a = a_end - a_begin;
  const int b_shift = begin - a_begin - from_a;  // element i ≥ from_a of the valley is b[i + b_shift]
  // One load from a selected address, not a selection between two loads: that would make every step a
  // divergent branch.
  const auto valley = [&](int i) {
    return i < from_a ? task.a.from(a_end - 1 - i) : task.b.from(b_shift + i);
  };
  const auto rank = [&](int i) { return i < from_a ? from_a - 1 - i : i; };
  if (end - begin == elements) {
    FATHOM_UNROLL
    for (int i = 0; i < elements; ++i) sorted[i] = with_rank<Item>(valley(i).load(0), rank(i));
  } else if (begin < end) {  // pad with the largest: the valley's tail stays in place
    const Element first = valley(0).load(0), last = valley(end - begin - 1).load(0);
    const Element largest = compare(first, last, less) ? last : first;
    FATHOM_UNROLL
    for (int i = 0; i < elements; ++i)
      sorted[i] = with_rank<Item>(i < end - begin ? valley(i).load(0) : largest, rank(i));
  }
  bitonic_merge(sorted, elements, less);
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
