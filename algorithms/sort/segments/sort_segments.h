// SPDX-License-Identifier: Apache-2.0
// Segmented sort on the device: an array is cut into lists, and each is sorted by itself.
#pragma once

#include <fathom/algorithms/launch.h>
#include <fathom/algorithms/sort/device_list.h>
#include <fathom/algorithms/sort/segments/merge_large_lists.h>
#include <fathom/algorithms/sort/segments/sort_large_tiles.h>
#include <fathom/algorithms/sort/segments/sort_lists.h>
#include <fathom/device/prepared_plan.h>

namespace fathom {

/// The kernels and work space for sorting `lists` lists of n elements in all, keys or records of a key and a
/// value, stably. The lists may have any lengths, of which the mean alone decides about launches: whether
/// there is one in which each block is a warp. The next one has larger blocks for the lists that are left,
/// and two more sort and merge the tiles of each list that is too large for these.
template <class Element, class LessThan = Less>
class SortSegments {
  using Sort = SortLists<Element, LessThan>;
  using SortTiles = SortLargeTiles<Element, LessThan>;
  using Merge = MergeLargeLists<Element, LessThan>;

 public:
  /// `lists` is at least 1. `threads` of a block are a power of two from 64 on.
  SortSegments(Executor& executor, Index n, Index lists, int threads, int elements)
      : n_(n),
        lists_(lists),
        threads_(threads),
        elements_(elements),
        few_(is_few(n, executor.plan_device())),
        plan_(executor, plan(n, lists, threads, elements, executor.plan_device())),
        other_(executor, std::size_t(has_large() ? n : 0)),
        tiles_(executor, std::size_t(has_large() ? most_tiles() : 0)),
        merged_(executor, std::size_t(has_large() ? most_tiles() : 0)),
        totals_(executor, LargeLists::number_of_totals) {
    executor.fill(totals_.data(), 0, totals_.bytes());
  }

  static Plan plan(Index n, Index lists, int threads, int elements, const PlanDevice& device) {
    const Index tile = Index(threads) * elements, of_warp = Index(warp_width) * elements;
    Plan plan;
    const auto add = [&](int threads_of_block, Index lists_of_block) {
      Launch launch = launch_of<Sort>(n, ceil_div(lists, lists_of_block),
                                      {threads_of_block, Sort::shared_memory(threads_of_block, elements)},
                                      {threads_of_block, elements});
      launch.kernel = &variant_of(*launch.kernel, threads_of_block);
      launch.grid = Grid::tiles;
      launch.tile = double(n) / double(lists) * double(lists_of_block);
      plan.push_back(launch);
    };
    const bool few = is_few(n, device);
    const Index shorter = lists_of_block(n, lists, of_warp, few),
                longer = lists_of_block(n, lists, tile, few);
    if (has_warps(n, lists, elements)) add(warp_width, shorter);
    if (plan.empty() || n > of_warp) add(threads, longer);
    if (n > tile) {
      const auto add_large = [&](const Launch& launch) {
        plan.push_back(with_resident_blocks(launch, n, tile, device));
      };
      add_large(launch_of<SortTiles>(n, 1, {threads, SortTiles::shared_memory(threads, elements)},
                                     {threads, elements}));
      add_large(
          launch_of<Merge>(n, 1, {threads, Merge::shared_memory(threads, elements)}, {threads, elements}));
    }
    return plan;
  }

  /// Queues the sort of `input` into `output`; both have n elements and do not overlap. List i is elements
  /// [begins[i], begins[i + 1]): begins has as many elements as there are lists, and one.
  void run(ConstListOf<Element> input, Span<const Index> begins, ListOf<Element> output) {
    if (n_ == 0) return;
    const Index tile = Index(threads_) * elements_, of_warp = Index(warp_width) * elements_;
    const LargeLists large{tiles_.span(), merged_.span(), totals_.span()};
    const bool warps = has_warps(n_, lists_, elements_);
    std::size_t launch = 0;
    if (warps)
      plan_.launch(launch++, Sort{input,
                                  output,
                                  begins,
                                  lists_of_block(n_, lists_, of_warp, few_),
                                  0,
                                  {},
                                  warp_width,
                                  elements_});
    if (!warps || n_ > of_warp)
      plan_.launch(launch++, Sort{input, output, begins, lists_of_block(n_, lists_, tile, few_),
                                  warps ? int(of_warp) : 0, large, threads_, elements_});
    if (!has_large()) return;
    plan_.launch(launch++, SortTiles{input, output, other_.list(), large, threads_, elements_});
    plan_.launch(launch, Merge{output, other_.list(), large, threads_, elements_});
  }

  std::vector<KernelResources> kernels() const { return plan_.resources(); }

 private:
  /// Whether lists are so short on average that warps sort most of them by themselves.
  static bool has_warps(Index n, Index lists, int elements) {
    return 2 * ceil_div(n, lists) <= Index(warp_width) * elements;
  }
  /// True if multiprocessors would have no more than some blocks of several tiles each.
  static bool is_few(Index n, const PlanDevice& device) {
    return n <= Index(1 << 14) * device.multiprocessors;
  }
  /// The number of lists of a block: if they have the mean length, those of four tiles, as the last tile is
  /// seldom full; of half a tile for few elements, so that there are blocks for all multiprocessors
  /// (data/h200-segments/trials.txt).
  static Index lists_of_block(Index n, Index lists, Index tile, bool few) {
    const Index elements = few ? tile / 2 : 4 * tile;
    return max(Index(1), elements / max(Index(1), ceil_div(n, lists)));
  }
  Index tile_size() const { return Index(threads_) * elements_; }
  bool has_large() const { return n_ > tile_size(); }
  /// Each list that has tiles has more than one.
  Index most_tiles() const { return n_ / tile_size() + n_ / (tile_size() + 1); }

  Index n_, lists_;
  int threads_, elements_;
  bool few_;
  PreparedPlan plan_;
  DeviceList<Element> other_;  // rounds of merges alternate between this and the output
  DeviceArray<LargeTile> tiles_;
  DeviceArray<u32> merged_;
  DeviceArray<u32> totals_;
};

}  // namespace fathom
