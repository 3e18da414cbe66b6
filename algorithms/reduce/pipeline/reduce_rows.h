// SPDX-License-Identifier: Apache-2.0
// Pipeline reduction (agpu2015): rows pass through a tree in which all lanes work at every step, each on one
// node.
#pragma once

#include <fathom/algorithms/block/reduce.h>
#include <fathom/algorithms/reduce/aligned_input.h>
#include <fathom/algorithms/reduce/two_rows.h>

namespace fathom {

inline constexpr int pipeline_nodes = 2 * warp_width;
inline constexpr int pipeline_depth = 6;  ///< steps from a leaf to node 0

/// A warp's tree over rows of 32 leaves, in 64 words of shared memory. Node k combines nodes 2k and 2k + 1;
/// the leaves are nodes 32 to 63, and a row's root is node 1. Node 0 combines itself with node 1: it holds
/// the result of all rows that have passed. Each step moves every row up by one level.
template <class T, class Operator, class Block>
class ReductionPipeline {
 public:
  FATHOM_DEVICE
  ReductionPipeline(Block& block, Shared<T> memory) : block_(block), tree_{memory, warp_width} {
    tree_.store(block_.lane(), identity_of<Operator, T>());
    tree_.store(warp_width + block_.lane(), identity_of<Operator, T>());
    block_.warp_barrier();
  }

  /// Enters a row, one leaf per lane.
  FATHOM_DEVICE
  void step(const T& leaf) {
    const T node = Operator{}(tree_.even(block_.lane()), tree_.odd(block_.lane()));
    block_.warp_barrier();
    tree_.store(block_.lane(), node);
    tree_.store(warp_width + block_.lane(), leaf);
    block_.warp_barrier();
  }

  /// The combination of all rows, in order, in every lane.
  FATHOM_DEVICE
  T finish() {
    FATHOM_NO_UNROLL
    for (int i = 0; i < pipeline_depth; ++i) step(identity_of<Operator, T>());
    return tree_.even(0);
  }

 private:
  Block& block_;
  TwoRows<T> tree_;
};

/// results[k] = in-order combination of the rows of block k's warps, `rows_per_warp` consecutive rows each. A
/// row is what a warp reads in one access of 16 bytes per lane; a lane combines the elements of its access
/// before they enter the pipeline.
template <class T, class Operator, class Threads = Number, class Loads = Number>
struct ReduceRows {
  static constexpr const char* header = "fathom/algorithms/reduce/pipeline/reduce_rows.h";

  using Element = T;
  using Input = AlignedInput<T, Operator>;

  Input input;
  Span<T> results;
  Index rows_per_warp;
  Threads threads_per_block;
  Loads loads;  ///< rows of a warp in flight

  static ReduceRows over(Span<const T> elements, Span<T> results, Index blocks, int threads, int loads) {
    const Input input = Input::of(elements);
    const Index warps = blocks * (threads / warp_width);
    return {input, results, ceil_div(rows(input), warps), threads, loads};
  }
  static int shared_memory(int threads) {
    return shared_bytes<T>(threads / warp_width * pipeline_nodes) + shared_bytes<T>(warp_width);
  }
  /// Elements that justify another block.
  static Index part(int threads, int loads) { return Index(threads) * loads * Input::width; }
  Index depth(Index) const { return Input::width + rows_per_warp + loads + pipeline_depth + depth_of_block; }

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const int warps = threads_per_block / warp_width;
    const auto trees = block.template shared<T>(warps * pipeline_nodes);
    ReductionPipeline<T, Operator, Block> pipeline(block, trees.from(block.warp() * pipeline_nodes));

    const Index warp = block.index() * warps + block.warp();
    const Index end = min((warp + 1) * rows_per_warp, rows(input));
    const auto enter_alone = [&](Index begin_of_edge, Index end_of_edge) {
      pipeline.step(block.lane() == 0 ? input.combine(begin_of_edge, end_of_edge)
                                      : identity_of<Operator, T>());
    };
    if (warp == 0) enter_alone(0, input.head_count);
    for (Index r = warp * rows_per_warp; r < end; r += loads) read_rows(block, r, end, pipeline);
    // The tail belongs to the last of all warps; warps between it and the last row have no elements.
    if (warp == block.blocks() * warps - 1) enter_alone(input.tail_begin(), Index(input.elements.count));

    const T total = combine_warps(block, pipeline.finish(), Operator{});
    if (block.thread() == 0) results.store(block.index(), total);
  }

 private:
  FATHOM_DEVICE
  static Index rows(const Input& input) { return ceil_div(input.vectors, warp_width); }

  /// Enters rows r, r + 1, … into the pipeline: as many as are read at a time, but none from `end` on.
  template <class Block, class Pipeline>
  FATHOM_DEVICE
  void read_rows(Block& block, Index r, Index end, Pipeline& pipeline) const {
    Registers<typename Input::Vector, Loads> read(loads);
    input.load_many(r * warp_width + block.lane(), warp_width, min(end * warp_width, input.vectors), loads,
                    read);
    FATHOM_UNROLL
    for (int k = 0; k < loads; ++k)
      if (r + k < end) pipeline.step(Input::combine_vector(read[k]));
  }
};

}  // namespace fathom
