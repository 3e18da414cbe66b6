// SPDX-License-Identifier: Apache-2.0
// Splits a rank's elements into the parts that go to other ranks: few by counters in registers, more as a
// pass of a splitter sort.
#pragma once

#include <fathom/algorithms/gpus/split/count_parts.h>
#include <fathom/algorithms/gpus/split/parts_by_cuts.h>
#include <fathom/algorithms/gpus/split/scatter_to_parts.h>
#include <fathom/algorithms/launch.h>
#include <fathom/algorithms/sort/distribution/splitter/place_buckets.h>
#include <fathom/algorithms/sort/distribution/splitter/scatter_to_buckets.h>
#include <fathom/device/prepared_plan.h>

#include <array>

namespace fathom {

/// They are numbered in bytes.
inline constexpr Index most_parts_of_split = 256;

/// The kernels and work space for n > 0 elements. The order within a part is arbitrary.
template <class Element>
class SplitByCuts {
  using Key = KeyOf<Element>;
  using Count = CountParts<Key>;
  using ScatterToFew = ScatterToParts<Element>;
  using Classify = ClassifyKeys<Key, PartsByCuts, BucketBounds>;
  using Scatter = ScatterToBuckets<Element, BucketBounds>;

 public:
  SplitByCuts(Executor& executor, Index n, int parts)
      : executor_(&executor),
        n_(n),
        parts_(parts),
        plan_(executor, plan(n, parts, executor.plan_device())),
        whole_(executor, std::span<const Index>(std::array<Index, 2>{0, n})),
        splits_(executor, std::span<const Split>(std::array{Split{parts, 0}})),
        part_of_(executor, are_few(parts) ? 0 : std::size_t(n)),
        counters_(executor, std::size_t(parts)),
        histograms_(executor, are_few(parts) ? 0 : std::size_t(plan_[0].blocks * parts)) {}

  /// How many elements each part has, where the parts begin, and the scatter. Of few parts the first does not
  /// write down which part each element belongs to, as a few comparisons take less time than to read that.
  static Plan plan(Index n, int parts, const PlanDevice& device) {
    const Launch place =
        launch_of<PlaceBuckets>(n, 1, {int(most_parts_of_split), PlaceBuckets::shared_memory()});
    const int threads = threads_of(parts, device), tile = threads * elements_of_tile;
    if (are_few(parts))
      return {with_resident_blocks(
                  launch_of<Count>(n, 1, {threads, Count::shared_memory(parts)}, {threads, parts}), n,
                  Index(threads) * Count::in_flight, device),
              place,
              launch_of_tiles<ScatterToFew>(
                  n, tile, {threads, ScatterToFew::shared_memory(parts, threads, elements_of_tile)},
                  {threads, elements_of_tile, parts})};
    const int of_cuts = PartsByCuts::shared_memory(parts);
    return {
        launch_of_tiles<Classify>(n, tile, {threads, Classify::shared_memory(parts, of_cuts)},
                                  {threads, elements_of_tile}),
        place,
        launch_of_tiles<Scatter>(n, tile, {threads, Scatter::shared_memory(parts, threads, elements_of_tile)},
                                 {threads, elements_of_tile})};
  }

  /// Queues it. Part i becomes elements [begins[i], begins[i + 1]) of `output`. `cuts` are in front of all
  /// parts but the first.
  void run(ConstListOf<Element> input, Span<const Cut> cuts, int rank, ListOf<Element> output,
           Span<Index> begins) {
    executor_->fill(counters_.data(), 0, counters_.bytes());
    const int threads = plan_[0].shape.threads;
    const BucketBounds whole{read_only(whole_.span())};
    const TileList<BucketBounds> tiles{{}, {}, whole, threads * elements_of_tile};
    if (are_few(parts_))
      plan_.launch(0, Count{keys_of(input), cuts, counters_.span(), u64(rank), threads, parts_});
    else
      plan_.launch(0, Classify{keys_of(input), tiles, PartsByCuts{cuts, u64(rank)}, part_of_.span(),
                               counters_.span(), histograms_.span(), parts_, threads, elements_of_tile});
    plan_.launch(1, PlaceBuckets{whole, read_only(splits_.span()), counters_.span(), begins, parts_});
    if (are_few(parts_))
      plan_.launch(2, ScatterToFew{input, output, cuts, counters_.span(), u64(rank), n_, threads,
                                   elements_of_tile, parts_});
    else
      plan_.launch(2, Scatter{input, output, tiles, read_only(part_of_.span()), read_only(histograms_.span()),
                              counters_.span(), parts_, threads, elements_of_tile});
  }

 private:
  static bool are_few(int parts) { return parts <= PartCounters<Number>::most_parts; }

  // As in a splitter sort (sort_by_splitters.h): a large tile writes few sectors in parts.
  static constexpr int elements_of_tile = 64 / int(sizeof(Key));
  static int threads_of(int parts, const PlanDevice& device) {
    constexpr int threads = 512;
    return that_fit(
        threads, device,
        [&](int each) {
          return are_few(parts) ? ScatterToFew::shared_memory(parts, each, elements_of_tile)
                                : Scatter::shared_memory(parts, each, elements_of_tile);
        },
        threads / 2);
  }

  Executor* executor_;
  Index n_;
  int parts_;
  PreparedPlan plan_;
  DeviceArray<Index> whole_;
  DeviceArray<Split> splits_;
  DeviceArray<u8> part_of_;  // not of few parts
  DeviceArray<u64> counters_;
  DeviceArray<u16> histograms_;  // not of few parts
};

}  // namespace fathom
