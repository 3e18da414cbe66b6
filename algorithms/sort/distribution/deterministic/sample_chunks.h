// SPDX-License-Identifier: Apache-2.0
// The first step of a deterministic choice of splitters: samples of sorted chunks.
#pragma once

#include <fathom/algorithms/block/merge_sort.h>

namespace fathom {

/// Sorts chunks of threads × elements keys and keeps every stride-th key: sample j is the one at position
/// (j + 1)·stride − 1 of the sorted chunks. One block per chunk. Chunks do not heed where parents begin:
/// since a parent's keys precede those of the next, each parent's part of a sorted chunk is in its place.
template <class Key, class LessThan, class Threads = Number, class Elements = Number>
struct SampleChunks {
  static constexpr const char* header = "fathom/algorithms/sort/distribution/deterministic/sample_chunks.h";

  Span<const Key> keys;
  Span<Key> samples;
  Index n;
  Index stride;
  Threads threads_per_block;
  Elements elements_per_thread;

  static int shared_memory(int threads, int elements) {
    return shared_bytes<Key>(threads * elements) + shared_bytes<int>(threads);
  }

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const int size = threads_per_block * elements_per_thread;
    const auto tile = block.template shared<Key>(size);
    const auto splits = block.template shared<int>(threads_per_block);
    const Index first = block.index() * size;
    const int count = int(min<Index>(n - first, size));
    const auto source = keys.from(first);
    Registers<Key, Elements> sorted(elements_per_thread);
    sort_in_block(
        block, sorted, elements_per_thread, tile, splits, count, [&](int i) { return source.load(i); },
        LessThan{});

    const int begin = block.thread() * elements_per_thread;
    Index sample = (first + begin) / stride;
    Index next = (sample + 1) * stride - 1 - first;  // where it is in the chunk
    FATHOM_UNROLL
    for (int i = 0; i < elements_per_thread; ++i) {
      if (begin + i != next || begin + i >= count) continue;
      samples.store(sample++, sorted[i]);
      next += stride;
    }
  }
};

}  // namespace fathom
