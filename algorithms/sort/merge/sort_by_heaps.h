// Multiway mergesorts on the device: sort tiles, then merge K runs at a time through heaps, pass by pass
// (karsin2018 §5, agpu2015 §7.3).
#pragma once

#include <fathom/algorithms/launch.h>
#include <fathom/algorithms/sort/merge/merge_by_heaps.h>
#include <fathom/algorithms/sort/merge/multiway_partition.h>
#include <fathom/algorithms/sort/merge/multiway_passes.h>
#include <fathom/algorithms/sort/merge/pairwise/block_sort.h>
#include <fathom/algorithms/sort/merge/sort_in_warp.h>
#include <fathom/device/prepared_plan.h>

namespace fathom {

/// How the runs are sorted and merged. The papers have node = 32 and elements = 0.
struct HeapMergeShape {
  int ways;      ///< lists merged at a time: 2, 4, 8, 16 or 32
  int node;      ///< keys of a row of a heap's node: 8, 16 or 32
  int lanes;     ///< that merge two nodes: 1, 2 or 4
  int threads;   ///< per block, and
  int elements;  ///< per thread, of the sort of tiles; 0: a warp sorts the paper's base case
};

/// The kernels and work space for sorting up to n keys. Not stable. Key: any trivially copyable type of whole
/// words; LessThan: any stateless strict weak order.
template <class Key, class LessThan, class Heap>
class SortByHeaps {
  using WarpSort = SortInWarp<Key, LessThan>;
  using TileSort = BlockSort<Key, LessThan>;
  using Partition = MultiwayPartition<Key, LessThan>;
  using Merge = MergeByHeaps<Key, LessThan, Heap>;

 public:
  SortByHeaps(Executor& executor, Index n, int ways, int node, int lanes, int threads, int elements)
      : n_(n),
        shape_{ways, node, lanes, threads, elements},
        passes_(passes(n, shape_, executor.plan_device())),
        plan_(executor, plan(n, ways, node, lanes, threads, elements, executor.plan_device())),
        other_(executor, passes_.empty() ? 0 : std::size_t(n)),
        ends_(executor, std::size_t(most_pieces(passes_) * ways)) {}

  /// The sort of tiles, and for each pass the partition and the merge.
  static Plan plan(Index n, int ways, int node, int lanes, int threads, int elements,
                   const PlanDevice& device) {
    const HeapMergeShape shape{ways, node, lanes, threads, elements};
    const Index tiles = ceil_div(n, tile(shape));
    const Launch sort =
        elements > 0
            ? launch_of<TileSort>(n, tiles, {threads, TileSort::shared_memory(threads, elements)},
                                  {threads, elements})
            : launch_of<WarpSort>(n, tiles, {warp_width, WarpSort::shared_memory(warp_width)}, {warp_width});
    const std::vector<MultiwayPieces> all = passes(n, shape, device);
    if (all.empty()) return {sort};
    const Index pieces = most_pieces(all);
    const double repeats = double(all.size());
    constexpr int threads_of_partition = 128, warps_of_partition = threads_of_partition / warp_width;
    Launch partition =
        launch_of<Partition>(n, ceil_div(pieces, warps_of_partition), {threads_of_partition}, {}, repeats);
    Launch merge =
        launch_of<Merge>(n, ceil_div(pieces, heaps(shape)), block(shape), {ways, node, lanes}, repeats);
    for (Launch* launch : {&partition, &merge})
      launch->blocks = std::min(launch->blocks, device.resident(*launch));
    return {sort, partition, merge};
  }

  /// Queues the sort of `input` into `output`; both have n keys and do not overlap.
  void run(Span<const Key> input, Span<Key> output) {
    if (n_ == 0) return;
    const bool even = passes_.size() % 2 == 0;
    // Start in the array for which this number of passes ends in `output`.
    Span<Key> from = even ? output : other_.span(), to = even ? other_.span() : output;
    if (shape_.elements > 0)
      plan_.launch(0, TileSort{input, from, n_, shape_.threads, shape_.elements});
    else
      plan_.launch(0, WarpSort{input, from, n_, base_keys});
    for (const MultiwayPieces& pieces : passes_) {
      const Span<const Key> lists{from.data, from.count};
      plan_.launch(1, Partition{lists, ends_.span(), pieces});
      plan_.launch(
          2, Merge{lists, to, {ends_.data(), ends_.size()}, pieces, shape_.ways, shape_.node, shape_.lanes});
      std::swap(from, to);
    }
  }

  std::vector<KernelResources> kernels() const { return plan_.resources(); }

 private:
  static constexpr int base_keys = Heap::base_keys_per_lane;
  static Index tile(const HeapMergeShape& shape) {
    return shape.elements > 0 ? Index(shape.threads) * shape.elements : Index(warp_width) * base_keys;
  }
  static int heaps(const HeapMergeShape& shape) {
    return Merge::layout_of(shape.ways, shape.node, shape.lanes).heaps();
  }
  static BlockShape block(const HeapMergeShape& shape) {
    return {warp_width, Merge::shared_memory(shape.ways, shape.node, shape.lanes)};
  }

  /// Two pieces for each heap that can be resident: one would leave heaps without a piece in passes with many
  /// groups of runs, all of which have the same number of pieces. To build a heap takes as long as K of its
  /// nodes.
  static std::vector<MultiwayPieces> passes(Index n, const HeapMergeShape& shape, const PlanDevice& device) {
    constexpr int pieces_of_heap = 2, least_nodes = 16;
    const Launch merge = launch_of<Merge>(n, 1, block(shape), {shape.ways, shape.node, shape.lanes});
    return multiway_passes(n, tile(shape), shape.ways, device.resident(merge) * heaps(shape) * pieces_of_heap,
                           least_nodes * shape.node);
  }
  static Index most_pieces(const std::vector<MultiwayPieces>& passes) {
    Index most = 0;
    for (const MultiwayPieces& pass : passes) most = std::max(most, pass.count());
    return most;
  }

  Index n_;
  HeapMergeShape shape_;
  std::vector<MultiwayPieces> passes_;
  PreparedPlan plan_;
  DeviceArray<Key> other_;  // passes alternate between this and the output
  DeviceArray<PieceEnd> ends_;
};

template <class Key, class LessThan>
using SortMms = SortByHeaps<Key, LessThan, MinBlockHeap>;
template <class Key, class LessThan>
using SortMultiway = SortByHeaps<Key, LessThan, BufferedHeap>;

}  // namespace fathom
