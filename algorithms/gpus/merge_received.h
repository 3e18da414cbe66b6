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

/// The kernels and work space to merge at most ListedRuns::most runs, n > 0 elements in all, in the order of
/// the keys' bits. Stable, of records: equal keys of an earlier run come first.
template <class Element, class Stability>
class MergeReceived {
  using Key = KeyOf<Element>;
  using LessThan = std::conditional_t<detail::is_float<Key>, LessByBits, Less>;
  using Select = SelectTiles<Key, LessThan>;
  using Merge = MergeListedRuns<Element, LessThan, Stability>;

 public:
  /// Runs of a list, in the order that equal keys keep.
  using Runs = std::vector<std::pair<Index, Index>>;

  MergeReceived(Executor& executor, const Runs& runs)
      : plan_(executor, plan(elements(runs), int(runs.size()), executor.plan_device())),
        splits_(executor, std::size_t(plan_[1].blocks * plan_[1].constants[0])) {
    for (std::size_t run = 0; run < runs.size(); ++run) {
      const auto [begin, end] = runs[run];
      runs_.begins[run] = begin;
      runs_.ends[run] = end;
      longest_ = std::max(longest_, end - begin);
    }
  }

  static Plan plan(Index n, int runs, const PlanDevice& device) {
    constexpr int threads_of_select = 64;
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
  void run(ConstListOf<Element> input, ListOf<Element> output) {
    const Shape shape{plan_[1].constants[0], plan_[1].constants[2]};
    plan_.launch(0, Select{keys_of(input), splits_.span(), runs_, longest_, shape.tile(), shape.ways});
    plan_.launch(1, Merge{input, output, read_only(splits_.span()), runs_, shape.tile(), shape.ways, threads,
                          shape.elements});
  }

 private:
  using Parts = PartsInBlock<Element>;

  static Index elements(const Runs& runs) {
    Index sum = 0;
    for (const auto& [begin, end] : runs) sum += end - begin;
    return sum;
  }

  // As sort-kway's defaults for many elements.
  static constexpr int threads = 256, most_elements = 23;
  struct Shape {
    int ways, elements;
    int tile() const { return largest_tile_of_parts(ways, threads, elements); }
  };
  static Shape shape_of(int runs, const PlanDevice& device) {
    const int ways = int(std::bit_ceil(unsigned(std::max(runs, 2))));
    return {ways, that_fit(
                      most_elements, device, [&](int each) { return Parts::bytes(ways, threads, each); }, 2)};
  }

  PreparedPlan plan_;
  DeviceArray<Index> splits_;
  ListedRuns runs_{};
  Index longest_ = 1;
};

}  // namespace fathom
