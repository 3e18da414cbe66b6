// SPDX-License-Identifier: Apache-2.0
// One level of the tree reduction (agpu2015): every block reduces a segment of two elements per thread.
#pragma once

#include <fathom/algorithms/reduce/two_rows.h>

namespace fathom {

/// results[k] = in-order combination of the existing elements of [2tk, 2t(k + 1)). They are loaded into
/// shared memory, and half of the threads drop out at each level of the tree.
template <class T, class Operator, class Threads = Number>
struct ReduceSegments {
  static constexpr const char* header = "fathom/algorithms/reduce/tree/reduce_segments.h";

  Span<const T> input;
  Span<T> results;
  Threads threads_per_block;  ///< t, a power of two and a multiple of the warp's width

  static int shared_memory(int threads) { return shared_bytes<T>(2 * threads); }

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const TwoRows<T> tree{block.template shared<T>(2 * threads_per_block), threads_per_block};
    read_segment(block, tree);
    const Operator combine{};
    for (int active = threads_per_block; active > 0; active /= 2) {
      const bool takes_part = block.thread() < active;
      T node = identity_of<Operator, T>();
      block.barrier();
      if (takes_part) node = combine(tree.even(block.thread()), tree.odd(block.thread()));
      block.barrier();
      if (active == 1 && takes_part) results.store(block.index(), node);
      if (takes_part) tree.store(block.thread(), node);
    }
  }

 private:
  template <class Block>
  FATHOM_DEVICE
  void read_segment(Block& block, const TwoRows<T>& tree) const {
    const Index first = block.index() * (2 * threads_per_block);
    const int below = block.thread(), above = block.thread() + threads_per_block;
    const T values[2]{element(first + below), element(first + above)};  // both in flight
    tree.store(below, values[0]);
    tree.store(above, values[1]);
  }

  FATHOM_DEVICE
  T element(Index i) const { return i < Index(input.count) ? input.load(i) : identity_of<Operator, T>(); }
};

}  // namespace fathom
