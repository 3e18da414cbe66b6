// SPDX-License-Identifier: Apache-2.0
// Reduction in one pass and one launch: 16 bytes per access, and the block that finishes last combines all
// results.
#pragma once

#include <fathom/algorithms/block/reduce.h>
#include <fathom/algorithms/reduce/aligned_input.h>

namespace fathom {

/// output[0] = combination of the input, for commutative operators. Blocks process tiles of threads × loads
/// vectors in a grid stride. Within a tile, a thread's loads are one block apart: a tile is up to 64
/// contiguous KiB, which DRAM reads up to 1 % faster than loads that are a whole grid apart. The order is
/// fixed, so that a floating-point sum is reproducible.
template <class T, class Operator, class Threads = Number, class Loads = Number>
struct ReduceVectors {
  static constexpr const char* header = "fathom/algorithms/reduce/vector/reduce_vectors.h";

  using Input = AlignedInput<T, Operator>;
  static constexpr bool blocks_communicate = true;

  Input input;
  Span<T> output;
  Span<T> results;    ///< of the blocks
  Span<u32> tickets;  ///< one; 0 before and after
  Threads threads_per_block;
  Loads loads;  ///< vectors of a thread in flight

  static int shared_memory() { return 2 * shared_bytes<T>(warp_width) + shared_bytes<u32>(1); }

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const Operator combine{};
    const T mine = reduce_block(block, reduce_vectors(block, combine), combine);
    if (block.blocks() == 1) {  // few elements would take a third as long again with a ticket
      if (block.thread() == 0) output.store(0, mine);
      return;
    }
    if (block.thread() == 0) results.store(block.index(), mine);
    if (!ends_last(block)) return;
    const T total = reduce_block(block, reduce_results(block, combine), combine);
    if (block.thread() == 0) {
      output.store(0, total);
      tickets.store(0, 0);
    }
  }

 private:
  template <class Block>
  FATHOM_DEVICE
  T reduce_vectors(Block& block, Operator combine) const {
    const Index tile = Index(threads_per_block) * loads;
    T sum = identity_of<Operator, T>();
    if (block.index() == 0 && block.thread() == 0) {
      sum = combine(input.combine(0, input.head_count),
                    input.combine(input.tail_begin(), Index(input.elements.count)));
    }
    for (Index v = block.index() * tile + block.thread(); v < input.vectors; v += block.blocks() * tile) {
      Registers<typename Input::Vector, Loads> read(loads);
      input.load_many(v, threads_per_block, input.vectors, loads, read);
      FATHOM_UNROLL
      for (int k = 0; k < loads; ++k) sum = combine(sum, Input::combine_vector(read[k]));
    }
    return sum;
  }

  /// True in one block, the last to take a ticket: all other blocks' results are available to it.
  template <class Block>
  FATHOM_DEVICE
  bool ends_last(Block& block) const {
    const auto ticket = block.template shared<u32>(1);
    if (block.thread() == 0) ticket.store(0, block.atomic_add(tickets, 0, u32(1)));
    block.barrier();
    return ticket.load(0) == u32(block.blocks() - 1);
  }

  template <class Block>
  FATHOM_DEVICE
  T reduce_results(Block& block, Operator combine) const {
    T sum = identity_of<Operator, T>();
    for (Index i = block.thread(); i < block.blocks(); i += threads_per_block)
      sum = combine(sum, results.load(i));
    return sum;
  }
};

}  // namespace fathom
