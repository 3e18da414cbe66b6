// SPDX-License-Identifier: Apache-2.0
// Cascading reduction (agpu2015): the input is a matrix with one column per thread.
#pragma once

#include <fathom/algorithms/block/load.h>
#include <fathom/algorithms/block/reduce.h>

namespace fathom {

/// results[k] = combination of the columns of block k's threads: thread g of all p reduces the elements g, g
/// + p, g + 2p, …, so that a warp always reads consecutive elements. For commutative operators.
template <class T, class Operator, class Threads = Number>
struct ReduceColumns {
  static constexpr const char* header = "fathom/algorithms/reduce/cascading/reduce_columns.h";

  using Element = T;
  static constexpr int loads = 8;  ///< that a thread has in flight

  Span<const T> input;
  Span<T> results;
  Threads threads_per_block;

  static ReduceColumns over(Span<const T> input, Span<T> results, Index, int threads) {
    return {input, results, threads};
  }
  static int shared_memory(int) { return shared_bytes<T>(warp_width); }
  /// Elements that justify another block.
  static Index part(int threads) { return Index(threads) * loads; }
  Index depth(Index blocks) const {
    return ceil_div(Index(input.count), blocks * threads_per_block) + loads + depth_of_block;
  }

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const Operator combine{};
    const T total = reduce_block(block, reduce_column(block, combine), combine);
    if (block.thread() == 0) results.store(block.index(), total);
  }

 private:
  template <class Block>
  FATHOM_DEVICE
  T reduce_column(Block& block, Operator combine) const {
    const Index n = Index(input.count), p = block.blocks() * threads_per_block;
    T sum = identity_of<Operator, T>();
    for (Index i = block.index() * threads_per_block + block.thread(); i < n; i += loads * p) {
      Registers<T, Constant<loads>> values(Constant<loads>{});
      load_strided_until(
          values, Constant<loads>{}, i, p, n, [&](Index at) { return input.load(at); },
          [] { return identity_of<Operator, T>(); });
      FATHOM_UNROLL
      for (int k = 0; k < loads; ++k) sum = combine(sum, values[k]);
    }
    return sum;
  }
};

}  // namespace fathom
