// SPDX-License-Identifier: Apache-2.0
// Scans one array with one block: the sums of the matrix scan's chunks, or the last level of the interval
// scan.
#pragma once

#include <fathom/algorithms/block/scan.h>
#include <fathom/algorithms/scan/scan_kind.h>

namespace fathom {

/// Scan of `count` elements; may be in place. One block, whose threads process equal, consecutive parts.
template <class T, class Operator, class Kind, class Threads = Number>
struct SpineScan {
  static constexpr const char* header = "fathom/algorithms/scan/spine_scan.h";

  Span<const T> input;
  Span<T> output;
  Span<const T> carry;  ///< one element that precedes the first, or empty
  Span<T> total;        ///< one element, set to the combination of carry and all elements; or empty
  Index count;
  Threads threads_per_block;

  static constexpr int most_threads = 1024;

  static int shared_memory() { return shared_bytes<T>(warp_width); }

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const Operator combine{};
    const Index part = ceil_div(count, Index(threads_per_block));
    const Index begin = min(part * block.thread(), count);
    const Index end = min(begin + part, count);

    T mine = identity_of<Operator, T>();
    for (Index i = begin; i < end; ++i) mine = combine(mine, input.load(i));
    const auto sums = block.template shared<T>(warp_width);
    const BlockPrefix<T> place = thread_prefix_in_block(block, mine, sums, combine);

    const T start = carry.count > 0 ? carry.load(0) : identity_of<Operator, T>();
    T before = combine(start, place.exclusive_prefix);
    for (Index i = begin; i < end; ++i) {
      const T element = input.load(i);
      output.store(i, scan_step<Kind>(before, element, combine));
    }
    if (total.count > 0 && block.thread() == 0) total.store(0, combine(start, place.aggregate));
  }
};

}  // namespace fathom
