// SPDX-License-Identifier: Apache-2.0
// Reduction by one block: the kernel.
#pragma once

#include <fathom/algorithms/block/reduce.h>

namespace fathom {

/// output[0] = combination of the input, for commutative operators. One block, whose threads stride over the
/// elements.
template <class T, class Operator, class Threads = Number>
struct ReduceInOneBlock {
  static constexpr const char* header = "fathom/tests/example/one_block.h";

  Span<const T> input;
  Span<T> output;
  Threads threads_per_block;

  static int shared_memory() { return shared_bytes<T>(warp_width); }

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    T sum = identity_of<Operator, T>();
    for (Index i = block.thread(); i < Index(input.count); i += threads_per_block)
      sum = Operator{}(sum, input.load(i));
    const T total = reduce_block(block, sum, Operator{});
    if (block.thread() == 0) output.store(0, total);
  }
};

}  // namespace fathom
