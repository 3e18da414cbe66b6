// SPDX-License-Identifier: Apache-2.0
// The first step of the matrix scan (agpu2015 §6): every warp reduces its chunk.
#pragma once

#include <fathom/algorithms/block/reduce.h>

namespace fathom {

/// sums[w] = in-order combination of the chunk of warp w. `chunk` is a multiple of the warp's width.
template <class T, class Operator, class Threads = Number>
struct ReduceChunks {
  static constexpr const char* header = "fathom/algorithms/scan/matrix/reduce_chunks.h";

  Span<const T> input;
  Span<T> sums;
  Index n;
  Index chunk;
  Threads threads_per_block;

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    constexpr int width = widest_vector<T>;
    constexpr int row = width * warp_width;
    constexpr int rows = 4;  // in flight
    const Operator combine{};

    const Index warp = block.index() * (threads_per_block / warp_width) + block.warp();
    const Index first = warp * chunk;
    if (first >= n) return;
    const Span<const T> elements = input.from(first);
    const Index count = min(chunk, n - first);

    T sum = identity_of<Operator, T>();
    Index done = 0;
    for (; done + rows * row <= count; done += rows * row) {
      Vector<T, width> read[rows];
      FATHOM_UNROLL
      for (int r = 0; r < rows; ++r)
        read[r] = elements.template load_vector<width>(done + r * row + block.lane() * width);
      FATHOM_UNROLL
      for (int r = 0; r < rows; ++r) {
        T mine = read[r].element[0];
        FATHOM_UNROLL
        for (int i = 1; i < width; ++i) mine = combine(mine, read[r].element[i]);
        sum = combine(sum, reduce_warp(block, mine, combine));
      }
    }
    for (; done < count; done += warp_width) {
      const Index at = done + block.lane();
      sum = combine(sum,
                    reduce_warp(block, at < count ? elements.load(at) : identity_of<Operator, T>(), combine));
    }
    if (block.lane() == 0) sums.store(warp, sum);
  }
};

}  // namespace fathom
