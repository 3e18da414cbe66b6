// SPDX-License-Identifier: Apache-2.0
// After the last level: every block sorts one bucket.
#pragma once

#include <fathom/algorithms/block/merge_sort.h>
#include <fathom/algorithms/sort/distribution/splitter/buckets.h>

namespace fathom {

/// Sorts each bucket of at most threads × elements elements. One block per bucket. LessThan orders keys.
template <class Element, class LessThan, class Threads = Number, class Elements = Number>
struct SortBuckets {
  static constexpr const char* header = "fathom/algorithms/sort/distribution/splitter/sort_buckets.h";

  ConstListOf<Element> input;
  ListOf<Element> output;
  BucketBounds buckets;
  Threads threads_per_block;
  Elements elements_per_thread;

  static int shared_memory(int threads, int elements) {
    return shared_bytes<Element>(threads * elements) + shared_bytes<int>(threads);
  }

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const Index first = buckets.begin(block.index()), size = buckets.end(block.index()) - first;
    if (size == 0 || size > threads_per_block * elements_per_thread) return;
    const auto tile = block.template shared<Element>(threads_per_block * elements_per_thread);
    const auto splits = block.template shared<int>(threads_per_block);
    const auto source = input.from(first);
    Registers<Element, Elements> sorted(elements_per_thread);
    sort_in_block(
        block, sorted, elements_per_thread, tile, splits, int(size), [&](int i) { return source.load(i); },
        OrderOf<Element, LessThan>{});
    write_front(block, sorted, elements_per_thread, tile, output.from(first), int(size));
  }
};

}  // namespace fathom
