// SPDX-License-Identifier: Apache-2.0
// The multiway mergesort as its paper has it, on the device: a heap per warp, whose lanes merge two rows
// together, and rows that are separated by samples (agpu2015 §7.3).
#pragma once

#include <fathom/algorithms/launch.h>
#include <fathom/algorithms/sort/device_list.h>
#include <fathom/algorithms/sort/merge/multiway/locate_separators.h>
#include <fathom/algorithms/sort/merge/multiway/merge_rows.h>
#include <fathom/algorithms/sort/merge/sort_in_warp.h>
#include <fathom/device/prepared_plan.h>

#include <algorithm>
#include <vector>

namespace fathom {

/// The passes after lists of w keys have been sorted.
struct SeparatorPasses {
  std::vector<SeparatedRows> columns, rows;

  /// Column-wise as long as there is a group for each of the `heaps` that the device has at a time, or lists
  /// are short; then row-wise, with about a row for each heap.
  static SeparatorPasses of(Index n, int ways, Index heaps) {
    constexpr Index most_keys = Index(1) << 28;  // of a row; positions within it are 32-bit numbers
    // Each sample is searched for in all lists: with more keys for each, the merge takes most of the time.
    const Index least_interval = 8 * ways;
    SeparatorPasses passes;
    for (Index run = warp_width; run < n; run *= ways) {
      const Index group = run * ways, most = std::max(Index(1), run / least_interval);
      const Index rows =
          std::clamp(ceil_div(heaps, ceil_div(n, group)), ceil_div(std::min(group, n), most_keys), most);
      (rows == 1 ? passes.columns : passes.rows).push_back(SeparatedRows::of(n, run, ways, rows));
    }
    return passes;
  }
  std::size_t count() const { return columns.size() + rows.size(); }
  static Index most_rows(const std::vector<SeparatedRows>& passes) {
    Index most = 0;
    for (const SeparatedRows& pass : passes) most = std::max(most, pass.count());
    return most;
  }
};

/// The kernels and work space for sorting up to n keys. Not stable. Keys are of any trivially copyable type
/// of whole words; LessThan is any stateless strict weak order of keys.
template <class Key, class LessThan>
class SortMultiwaySeparators {
  using WarpSort = SortInWarp<Key, LessThan>;
  using Columns = MergeColumns<Key, LessThan>;
  using Separators = LocateSeparators<Key, LessThan>;
  using Rows = MergeRows<Key, LessThan>;

 public:
  /// Merges `ways` lists at a time: 2, 4, 8, 16 or 32.
  SortMultiwaySeparators(Executor& executor, Index n, int ways)
      : n_(n),
        ways_(ways),
        passes_(passes(n, ways, executor.plan_device())),
        plan_(executor, plan(n, ways, executor.plan_device())),
        other_(executor, passes_.count() == 0 ? 0 : std::size_t(n)),
        ends_(executor, std::size_t(SeparatorPasses::most_rows(passes_.rows) * ways)) {}

  /// The sort of blocks of w keys, the column-wise passes, and for each row-wise one the separators and the
  /// merge.
  static Plan plan(Index n, int ways, const PlanDevice& device) {
    const SeparatorPasses all = passes(n, ways, device);
    Plan plan{launch_of_tiles<WarpSort>(n, warp_width, {warp_width, WarpSort::shared_memory(base_keys)},
                                        {base_keys})};
    const auto add = [&](Launch launch, const std::vector<SeparatedRows>& passes, Index units, Index tile) {
      launch.repeats = double(passes.size());
      for (const SeparatedRows& pass : passes) launch.parts += double(pass.count()) / launch.repeats;
      plan.push_back(with_resident_blocks(launch, units, tile, device));
    };
    if (const Index groups = SeparatorPasses::most_rows(all.columns); groups > 0)
      add(launch_of<Columns>(n, 1, block(ways), {ways}), all.columns, groups, 1);
    if (const Index rows = SeparatorPasses::most_rows(all.rows); rows > 0) {
      constexpr int threads = 128;
      add(launch_of<Separators>(n, 1, {threads}, {ways}), all.rows, rows * ways * ways, threads);
      add(launch_of<Rows>(n, 1, block(ways), {ways}), all.rows, rows, 1);
    }
    return plan;
  }

  /// Queues the sort of `input` into `output`; both have n keys and do not overlap.
  void run(Span<const Key> input, Span<Key> output) {
    if (n_ == 0) return;
    const bool even = passes_.count() % 2 == 0;
    // Start in the array for which this number of passes ends in `output`.
    Span<Key> from = even ? output : other_.span(), to = even ? other_.span() : output;
    plan_.launch(0, WarpSort{input, from, n_, base_keys});
    for (const SeparatedRows& groups : passes_.columns) {
      plan_.launch(1, Columns{{read_only(from), to, groups, ways_}});
      std::swap(from, to);
    }
    const std::size_t separators = passes_.columns.empty() ? 1 : 2;
    for (const SeparatedRows& rows : passes_.rows) {
      plan_.launch(separators, Separators{read_only(from), ends_.span(), rows, ways_});
      plan_.launch(separators + 1, Rows{{read_only(from), to, rows, ways_}, {ends_.data(), ends_.size()}});
      std::swap(from, to);
    }
  }

  std::vector<KernelResources> kernels() const { return plan_.resources(); }

 private:
  static constexpr int base_keys = BufferedHeap::base_keys_per_lane;

  static BlockShape block(int ways) {
    return {warp_width, WholeWarpHeap<Key, LessThan, BufferedHeap, Number>::shared_memory(ways)};
  }
  static SeparatorPasses passes(Index n, int ways, const PlanDevice& device) {
    return SeparatorPasses::of(n, ways, device.resident(launch_of<Rows>(n, 1, block(ways), {ways})));
  }

  Index n_;
  int ways_;
  SeparatorPasses passes_;
  PreparedPlan plan_;
  DeviceArray<Key> other_;  // passes alternate between this and the output
  DeviceArray<Index> ends_;
};

}  // namespace fathom
