// SPDX-License-Identifier: Apache-2.0
// GPU-MMS as its paper has it, on the device: a heap per warp, whose lanes merge two nodes together
// (karsin2018 §5).
#pragma once

#include <fathom/algorithms/launch.h>
#include <fathom/algorithms/sort/device_list.h>
#include <fathom/algorithms/sort/merge/mms/merge_by_shuffles.h>
#include <fathom/algorithms/sort/merge/multiway_passes.h>
#include <fathom/algorithms/sort/merge/piece_partition.h>
#include <fathom/algorithms/sort/merge/sort_in_warp.h>
#include <fathom/device/prepared_plan.h>

namespace fathom {

/// The kernels and work space for sorting up to n elements: keys, or records of a key and a value
/// (records.h). Not stable. Keys are of any trivially copyable type of whole words; LessThan is any stateless
/// strict weak order of keys.
///
/// The base case is the paper's: each warp sorts w² keys. The paper leaves open how the lists are partitioned
/// among the warps: here exactly, by rank, as for SortByHeaps.
template <class Element, class LessThan>
class SortMmsShuffles {
  using WarpSort = SortInWarp<Element, LessThan>;
  using Partition = PiecePartition<KeyOf<Element>, LessThan>;
  using Merge = MergeByShuffles<Element, LessThan>;

 public:
  /// Merges `ways` lists at a time: 2, 4, 8, 16 or 32.
  SortMmsShuffles(Executor& executor, Index n, int ways)
      : n_(n),
        ways_(ways),
        passes_(passes(n, ways, executor.plan_device())),
        plan_(executor, plan(n, ways, executor.plan_device())),
        other_(executor, passes_.empty() ? 0 : std::size_t(n)),
        ends_(executor, std::size_t(most_ends(passes_))) {}

  /// The sort of tiles, and for each pass the partition and the merge.
  static Plan plan(Index n, int ways, const PlanDevice& device) {
    const Launch sort =
        launch_of_tiles<WarpSort>(n, tile, {warp_width, WarpSort::shared_memory(base_keys)}, {base_keys});
    const std::vector<MultiwayPieces> all = passes(n, ways, device);
    if (all.empty()) return {sort};
    const Index pieces = most_ends(all) / ways;
    const double repeats = double(all.size());
    double pieces_of_all = 0;
    for (const MultiwayPieces& pass : all) pieces_of_all += double(pass.count);
    constexpr int threads_of_partition = 128;
    const Launch partition =
        with_resident_blocks(launch_of<Partition>(n, 1, {threads_of_partition}, {ways}, repeats),
                             pieces * ways, threads_of_partition, device);
    const Launch merge =
        with_resident_blocks(launch_of<Merge>(n, 1, block(ways), {ways}, repeats), pieces, 1, device);
    Plan plan{sort, partition, merge};
    for (std::size_t i : {1, 2}) plan[i].parts = pieces_of_all / repeats;
    return plan;
  }

  /// Queues the sort of `input` into `output`; both have n elements and do not overlap.
  void run(ConstListOf<Element> input, ListOf<Element> output) {
    if (n_ == 0) return;
    const bool even = passes_.size() % 2 == 0;
    // Start in the array for which this number of passes ends in `output`.
    ListOf<Element> from = even ? output : other_.list(), to = even ? other_.list() : output;
    plan_.launch(0, WarpSort{input, from, n_, base_keys});
    for (const MultiwayPieces& pieces : passes_) {
      const ConstListOf<Element> lists = read_only(from);
      plan_.launch(1, Partition{keys_of(lists), ends_.span(), pieces, ways_});
      plan_.launch(2, Merge{lists, to, {ends_.data(), ends_.size()}, pieces, ways_});
      std::swap(from, to);
    }
  }

  std::vector<KernelResources> kernels() const { return plan_.resources(); }

 private:
  static constexpr int base_keys = MinBlockHeap::base_keys_per_lane;
  static constexpr Index tile = Index(warp_width) * base_keys;

  static BlockShape block(int ways) { return {warp_width, Merge::shared_memory(ways)}; }
  static std::vector<MultiwayPieces> passes(Index n, int ways, const PlanDevice& device) {
    const Index heaps = device.resident(launch_of<Merge>(n, 1, block(ways), {ways}));
    return multiway_passes(n, tile, ways, heaps, warp_width);
  }

  Index n_;
  int ways_;
  std::vector<MultiwayPieces> passes_;
  PreparedPlan plan_;
  DeviceList<Element> other_;  // passes alternate between this and the output
  DeviceArray<PieceEnd> ends_;
};

}  // namespace fathom
