// SPDX-License-Identifier: Apache-2.0
// Merges the sorted runs that a rank has received, in one pass.
#pragma once

#include <fathom/algorithms/gpus/merge_listed_runs.h>
#include <fathom/algorithms/gpus/select_tiles.h>
#include <fathom/algorithms/launch.h>
#include <fathom/device/prepared_plan.h>

#include <algorithm>
#include <bit>
#include <type_traits>
#include <utility>
#include <vector>

namespace fathom {

/// Runs of a list, in the order that equal keys keep.
using RunsOfList = std::vector<std::pair<Index, Index>>;

inline Index elements_in(const RunsOfList& runs) {
  Index sum = 0;
  for (const auto& [begin, end] : runs) sum += end - begin;
  return sum;
}

/// The kernels and work space to merge so many runs, at most ListedRuns::most, of n > 0 elements in all, or
/// fewer, in the order of the keys' bits. Stable, of records: equal keys of an earlier run come first.
template <class Element, class Stability>
class MergeReceived {
  using Key = KeyOf<Element>;
  using LessThan = std::conditional_t<detail::is_float<Key>, LessByBits, Less>;
  using Select = SelectTiles<Key, LessThan>;
  using Merge = MergeListedRuns<Element, LessThan, Stability>;

 public:
  MergeReceived(Executor& executor, Index n, int runs)
      : most_elements_(n),
        plan_(executor, plan(n, runs, executor.plan_device())),
        splits_(executor, std::size_t(plan_[1].blocks * plan_[1].constants[0])) {}

  Index most_elements() const { return most_elements_; }

  static Plan plan(Index n, int runs, const PlanDevice& device) {
    const Shape shape = shape_of(runs, device);
    const Index tiles = ceil_div(n, shape.tile());
    Launch select = launch_of_tiles<Select>(n, shape.tile() * threads_of_select / shape.ways,
                                            {threads_of_select}, {shape.ways});
    select.blocks = ceil_div(tiles * shape.ways, threads_of_select);
    return {select,
            with_room_in_l1(launch_of_tiles<Merge>(
                                n, shape.tile(), {threads, Parts::bytes(shape.ways, threads, shape.elements)},
                                {shape.ways, threads, shape.elements}),
                            device)};
  }

  /// Queues it.
  void run(ConstListOf<Element> input, const RunsOfList& runs, ListOf<Element> output) {
    select(input, runs);
    merge(input, 0, tiles(), output);
  }

  /// The elements of a tile of the result, but for the last; and of one of so many runs.
  Index tile_size() const { return shape().tile(); }
  static Index tile_size(int runs, const PlanDevice& device) { return shape_of(runs, device).tile(); }
  /// The tiles of the runs that were selected last.
  Index tiles() const { return ceil_div(selected_.elements(), shape().tile()); }
  /// Queues what merge() needs, for all tiles.
  void select(ConstListOf<Element> input, const RunsOfList& runs) {
    selected_ = {};
    Index longest = 1;
    for (std::size_t run = 0; run < runs.size(); ++run) {
      selected_.begins[run] = runs[run].first;
      selected_.ends[run] = runs[run].second;
      longest = std::max(longest, selected_.count_of(int(run)));
    }
    plan_.launch(0, Select{keys_of(input), splits_.span(), selected_, longest, shape().tile(), shape().ways},
                 ceil_div(tiles() * shape().ways, threads_of_select));
  }
  /// Queues the merge of `count` tiles of the result from tile `first` on, which `output` begins with.
  void merge(ConstListOf<Element> input, Index first, Index count, ListOf<Element> output) {
    plan_.launch(1,
                 Merge{input, output, read_only(splits_.span()), selected_, first, shape().tile(),
                       shape().ways, threads, shape().elements},
                 count);
  }

 private:
  using Parts = PartsInBlock<Element>;

  // As sort-kway's defaults for many elements.
  static constexpr int threads = 256, elements_per_thread = 23, threads_of_select = 64;
  struct Shape {
    int ways, elements;
    int tile() const { return largest_tile_of_parts(ways, threads, elements); }
  };
  static Shape shape_of(int runs, const PlanDevice& device) {
    const int ways = int(std::bit_ceil(unsigned(std::max(runs, 2))));
    return {ways,
            that_fit(
                elements_per_thread, device, [&](int each) { return Parts::bytes(ways, threads, each); }, 2)};
  }

  Shape shape() const { return {plan_[1].constants[0], plan_[1].constants[2]}; }

  Index most_elements_;
  PreparedPlan plan_;
  DeviceArray<Index> splits_;
  ListedRuns selected_{};
};

}  // namespace fathom
