// SPDX-License-Identifier: Apache-2.0
// Multiway mergesorts on the device: sort tiles, then merge K runs at a time through heaps, pass by pass
// (karsin2018 §5, agpu2015 §7.3).
#pragma once

#include <fathom/algorithms/launch.h>
#include <fathom/algorithms/sort/device_list.h>
#include <fathom/algorithms/sort/merge/bitonic/bitonic_sort_tiles.h>
#include <fathom/algorithms/sort/merge/merge_by_heaps.h>
#include <fathom/algorithms/sort/merge/multiway_passes.h>
#include <fathom/algorithms/sort/merge/pairwise/block_sort.h>
#include <fathom/algorithms/sort/merge/piece_partition.h>
#include <fathom/algorithms/sort/merge/sort_in_warp.h>
#include <fathom/device/prepared_plan.h>

namespace fathom {

/// How the runs are sorted and merged. The papers have node = 32 and elements = 0.
struct HeapMergeShape {
  int ways;     ///< lists merged at a time: 2, 4, 8, 16 or 32
  int node;     ///< keys of a row of a heap's node: 8, 16 or 32
  int lanes;    ///< that merge two nodes: 1, 2 or 4
  int threads;  ///< per block, and
  /// per thread, of the sort of tiles. 0: a warp sorts the paper's base case. 32: by a bitonic network, free
  /// of bank conflicts on every input; all others as in the pairwise mergesort.
  int elements;
};

/// The kernels and work space for sorting up to n elements: keys, or records of a key and a value
/// (records.h). Not stable. Keys are of any trivially copyable type of whole words; LessThan is any stateless
/// strict weak order of keys.
template <class Element, class LessThan, class Heap>
class SortByHeaps {
  using WarpSort = SortInWarp<Element, LessThan>;
  using NetworkSort = BitonicSortTiles<Element, LessThan>;
  using TileSort = BlockSort<Element, LessThan>;
  using Partition = PiecePartition<KeyOf<Element>, LessThan>;
  using Merge = MergeByHeaps<Element, LessThan, Heap>;

 public:
  /// `words` of a row of a heap's node: 8, 16 or 32.
  SortByHeaps(Executor& executor, Index n, int ways, int words, int lanes, int threads, int elements)
      : n_(n),
        shape_{ways, row_keys(words, key_words), lanes, threads, elements},
        passes_(passes(n, shape_, executor.plan_device())),
        plan_(executor, plan(n, ways, words, lanes, threads, elements, executor.plan_device())),
        other_(executor, passes_.empty() ? 0 : std::size_t(n)),
        ends_(executor, std::size_t(most_ends(passes_))) {}

  /// The sort of tiles, and the partition and the merge of the wide passes and of the narrow ones.
  static Plan plan(Index n, int ways, int words, int lanes, int threads, int elements,
                   const PlanDevice& device) {
    const HeapMergeShape shape{ways, row_keys(words, key_words), lanes, threads, elements};
    Plan plan{sort_of_tiles(n, shape)};
    const std::vector<MultiwayPieces> all = passes(n, shape, device);
    for (std::size_t first = 0, end; first < all.size(); first = end) {
      for (end = first; end < all.size() && all[end].ways == all[first].ways;) ++end;
      add_passes(plan, {all.begin() + first, all.begin() + end}, shape, device);
    }
    return plan;
  }

  /// Queues the sort of `input` into `output`; both have n elements and do not overlap.
  void run(ConstListOf<Element> input, ListOf<Element> output) {
    if (n_ == 0) return;
    const bool even = passes_.size() % 2 == 0;
    // Start in the array for which this number of passes ends in `output`.
    ListOf<Element> from = even ? output : other_.list(), to = even ? other_.list() : output;
    if (shape_.elements == network_elements)
      plan_.launch(0, NetworkSort{input, from, n_, shape_.threads, shape_.elements});
    else if (shape_.elements > 0)
      plan_.launch(0, TileSort{input, from, n_, shape_.threads, shape_.elements});
    else
      plan_.launch(0, WarpSort{input, from, n_, base_keys});
    for (const MultiwayPieces& pieces : passes_) {
      const std::size_t first = pieces.ways == passes_.front().ways ? 1 : 3;
      const ConstListOf<Element> lists = read_only(from);
      plan_.launch(first, Partition{keys_of(lists), ends_.span(), pieces, pieces.ways});
      plan_.launch(
          first + 1,
          Merge{{lists, to, {ends_.data(), ends_.size()}, pieces}, pieces.ways, shape_.node, shape_.lanes});
      std::swap(from, to);
    }
  }

  std::vector<KernelResources> kernels() const { return plan_.resources(); }

 private:
  static constexpr int key_words = sizeof(Element) / 4;
  static constexpr int base_keys = Heap::base_keys_per_lane;
  static constexpr int network_elements = 32;

  static Launch sort_of_tiles(Index n, const HeapMergeShape& shape) {
    const auto [ways, node, lanes, threads, elements] = shape;
    if (elements == network_elements)
      return launch_of_tiles<NetworkSort>(
          n, tile(shape), {threads, NetworkSort::shared_memory(threads, elements)}, {threads, elements});
    if (elements > 0)
      return launch_of_tiles<TileSort>(n, tile(shape), {threads, TileSort::shared_memory(threads, elements)},
                                       {threads, elements});
    return launch_of_tiles<WarpSort>(n, tile(shape), {warp_width, WarpSort::shared_memory(base_keys)},
                                     {base_keys});
  }

  static Index tile(const HeapMergeShape& shape) {
    return shape.elements > 0 ? Index(shape.threads) * shape.elements : Index(warp_width) * base_keys;
  }

  static Launch merge_of(Index n, int ways, const HeapMergeShape& shape, double repeats = 1) {
    const auto [_, node, lanes, threads, elements] = shape;
    Launch merge = launch_of<Merge>(n, 1, {warp_width, Merge::shared_memory(ways, node, lanes)},
                                    {ways, node, lanes}, repeats);
    merge.kernel = &variant_of(*merge.kernel, ways);
    return merge;
  }
  static int heaps(int ways, const HeapMergeShape& shape) {
    return Merge::layout_of(ways, shape.node, shape.lanes).heaps();
  }

  /// The launches of passes that merge equally many runs.
  static void add_passes(Plan& plan, const std::vector<MultiwayPieces>& passes, const HeapMergeShape& shape,
                         const PlanDevice& device) {
    const int ways = passes.front().ways;
    const Index n = passes.front().n, pieces = most_ends(passes) / ways;
    const double repeats = double(passes.size());
    double pieces_of_all = 0;
    for (const MultiwayPieces& pass : passes) pieces_of_all += double(pass.count);
    constexpr int threads_of_partition = 128;
    Launch partition = launch_of<Partition>(n, 1, {threads_of_partition}, {ways}, repeats);
    partition.kernel = &variant_of(*partition.kernel, ways);
    partition = with_resident_blocks(partition, pieces * ways, threads_of_partition, device);
    Launch merge =
        with_resident_blocks(merge_of(n, ways, shape, repeats), pieces, heaps(ways, shape), device);
    for (Launch* launch : {&partition, &merge}) {
      launch->parts = pieces_of_all / repeats;
      plan.push_back(*launch);
    }
  }

  static std::vector<MultiwayPieces> passes(Index n, const HeapMergeShape& shape, const PlanDevice& device) {
    const PassWidths widths = PassWidths::of(n, tile(shape), shape.ways);
    std::vector<MultiwayPieces> passes;
    for (Index run = tile(shape); int(passes.size()) < widths.count(); run *= passes.back().ways) {
      const int ways = int(passes.size()) < widths.wide ? shape.ways : shape.ways / 2;
      const Index resident = device.resident(merge_of(n, ways, shape));
      passes.push_back(multiway_pass(n, run, ways, resident * heaps(ways, shape), shape.node));
    }
    return passes;
  }

  Index n_;
  HeapMergeShape shape_;
  std::vector<MultiwayPieces> passes_;
  PreparedPlan plan_;
  DeviceList<Element> other_;  // passes alternate between this and the output
  DeviceArray<PieceEnd> ends_;
};

template <class Element, class LessThan>
using SortMms = SortByHeaps<Element, LessThan, MinBlockHeap>;
template <class Element, class LessThan>
using SortMultiway = SortByHeaps<Element, LessThan, BufferedHeap>;

}  // namespace fathom
