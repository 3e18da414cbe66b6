// SPDX-License-Identifier: Apache-2.0
// Splitter-based distribution sort on the device (agpu-radix): split into buckets by splitters, level by
// level, until a block can sort a bucket in shared memory.
#pragma once

#include <fathom/algorithms/launch.h>
#include <fathom/algorithms/sort/device_list.h>
#include <fathom/algorithms/sort/distribution/splitter/list_tiles.h>
#include <fathom/algorithms/sort/distribution/splitter/place_buckets.h>
#include <fathom/algorithms/sort/distribution/splitter/scatter_to_buckets.h>
#include <fathom/algorithms/sort/distribution/splitter/sort_buckets.h>
#include <fathom/algorithms/sort/distribution/splitter/sort_large_buckets.h>
#include <fathom/algorithms/sort/distribution/splitter/splitter_tree.h>
#include <fathom/device/prepared_plan.h>

#include <array>
#include <bit>
#include <vector>

namespace fathom {

/// How a splitter sort divides n elements.
struct SplitLevels {
  struct Level {
    Index parents;  ///< at most; some may be empty
    int ways;       ///< buckets of a parent, at most
    Index child;    ///< elements that a bucket should have
    Index buckets;  ///< of all parents, at most
  };
  std::vector<Level> levels;

  Index buckets() const { return levels.empty() ? 1 : levels.back().buckets; }
};

/// What the choice of a level's splitters leaves.
template <class Key>
struct ChosenSplitters {
  Span<Key> splitters;       ///< `ways` per parent
  Span<EqualSamples> equal;  ///< likewise
  Span<Split> splits;        ///< of each parent
  Span<u64> counters;        ///< of each parent's buckets; cleared
  ListedTiles tiles;
};

/// The kernels and work space for sorting n elements: keys, or records of a key and a value (records.h). Keys
/// are of any trivially copyable type of whole words; LessThan is any stateless strict weak order of keys.
/// Elements that are equal in order may change places.
///
/// A Choice chooses the splitters of a level, by launches of its own (RandomSplitters, RegularSplitters):
///     SplitLevels split;
///     int log_samples;  samples per bucket that EqualSamples counts
///     void append(Plan&, std::size_t level, const PlanDevice&) const;
///     Choice::Space(Executor&, const Choice&), with
///     std::size_t choose(const PreparedPlan&, std::size_t launch, std::size_t level, keys, parents,
///                        chosen);  the launch after its own
template <class Element, class LessThan, class Choice>
class SortBySplitters {
  using Key = KeyOf<Element>;
  using Tree = SplitterTree<Key, LessThan>;
  using Classify = ClassifyKeys<Key, Tree, BucketBounds>;
  using Scatter = ScatterToBuckets<Element, BucketBounds>;
  using Sort = SortBuckets<Element, LessThan>;
  using SortLarge = SortLargeBuckets<Element, LessThan>;

 public:
  static constexpr int most_ways = 256;  ///< buckets are numbered in bytes

  /// Blocks of `threads` threads with `elements` each sort the buckets of the last level.
  SortBySplitters(Executor& executor, Index n, const Choice& choice, int threads, int elements)
      : n_(n),
        threads_(threads),
        elements_(elements),
        tiles_of_(tiles_of(executor.plan_device())),
        choice_(choice),
        plan_(executor, plan(n, choice, threads, elements, executor.plan_device())),
        space_(executor, choice_),
        other_(executor, std::size_t(levels() > 0 ? n : 0)),
        bucket_of_(executor, std::size_t(levels() > 0 ? n : 0)),
        histograms_(executor, most_counts()),
        splitters_(executor, most_buckets()),
        equal_(executor, most_buckets()),
        counters_(executor, most_buckets()),
        splits_(executor, levels() > 0 ? std::size_t(last().parents) : 0),
        tiles_(executor, levels() > 1 ? std::size_t(most_tiles(n, last().parents, tiles_of_.size())) : 0),
        tile_counts_(executor, std::size_t(levels())) {
    const std::array<Index, 2> whole{0, n};
    begins_.emplace_back(executor, std::span<const Index>(whole));
    for (const SplitLevels::Level& level : choice_.split.levels)
      begins_.emplace_back(executor, std::size_t(level.buckets + 1));
  }

  /// The choice of splitters and three more steps of each level, and the sort of its buckets.
  static Plan plan(Index n, const Choice& choice, int threads, int elements, const PlanDevice& device) {
    Plan plan;
    for (std::size_t i = 0; i < choice.split.levels.size(); ++i) {
      choice.append(plan, i, device);
      append_distribution(plan, n, choice.split.levels[i], tiles_of(device));
    }
    const Index buckets = choice.split.buckets(), bucket = max(Index(1), ceil_div(n, buckets));
    Launch sort = launch_of_tiles<Sort>(n, bucket, {threads, Sort::shared_memory(threads, elements)},
                                        {threads, elements});
    sort.blocks = buckets;
    plan.push_back(sort);
    if (choice.split.levels.empty()) return plan;
    const int of_large = tiles_of(device).elements_of_large;
    Launch sort_large =
        launch_of_tiles<SortLarge>(n, bucket * threads_of_large,
                                   {threads_of_large, SortLarge::shared_memory(threads_of_large, of_large)},
                                   {threads_of_large, of_large});
    sort_large.blocks = ceil_div(buckets, threads_of_large);
    plan.push_back(sort_large);
    return plan;
  }

  /// Queues the sort of `input` into `output`; both have n elements and do not overlap.
  void run(ConstListOf<Element> input, ListOf<Element> output) {
    if (n_ == 0) return;
    ConstListOf<Element> from = input;
    std::size_t launch = 0;
    for (std::size_t i = 0; i < levels(); ++i) {
      // The last level ends in the other array, from which the buckets are sorted into the output.
      const ListOf<Element> to = (levels() - i) % 2 == 1 ? other_.list() : output;
      launch = distribute(launch, i, from, to);
      from = read_only(to);
    }
    const BucketBounds buckets{read_only(begins_.back().span())};
    plan_.launch(launch, Sort{from, output, buckets, threads_, elements_});
    if (levels() > 0)
      plan_.launch(launch + 1,
                   SortLarge{other_.list(), output, buckets, choice_.split.buckets(),
                             Index(threads_) * elements_, threads_of_large, tiles_of_.elements_of_large});
  }

  /// Sizes of the buckets of a level of the last run; of the last level, those that were sorted.
  std::vector<Index> bucket_sizes(std::size_t level) const {
    std::vector<Index> sizes = begins_[level + 1].download();
    for (std::size_t i = 0; i + 1 < sizes.size(); ++i) sizes[i] = sizes[i + 1] - sizes[i];
    sizes.pop_back();
    return sizes;
  }
  std::vector<Index> bucket_sizes() const { return bucket_sizes(levels() - 1); }
  std::vector<KernelResources> kernels() const { return plan_.resources(); }

 private:
  // Tiles are as large as shared memory allows: the more elements of a tile go to a bucket, the fewer sectors
  // are written in parts.
  static constexpr int elements_of_tile = 64 / int(sizeof(Key)), threads_of_large = 256;
  struct Tiles {
    int threads, elements_of_large;  ///< of a tile's block; of a thread
    int size() const { return threads * elements_of_tile; }
  };
  static Tiles tiles_of(const PlanDevice& device) {
    constexpr int threads = 512, of_large = 15;  // enough registers for any type
    const auto of_tile = [](int each) { return Scatter::shared_memory(most_ways, each, elements_of_tile); };
    const auto in_large = [](int each) { return SortLarge::shared_memory(threads_of_large, each); };
    return {that_fit(threads, device, of_tile, threads / 2), that_fit(of_large, device, in_large, 2)};
  }

  std::size_t levels() const { return choice_.split.levels.size(); }
  const SplitLevels::Level& last() const { return choice_.split.levels.back(); }
  static int nodes(const SplitLevels::Level& level) { return int(std::bit_ceil(unsigned(level.ways))); }

  /// Classify, place, scatter.
  static void append_distribution(Plan& plan, Index n, const SplitLevels::Level& level, const Tiles& tiles) {
    const auto in_tiles = [&](Launch launch) {
      launch.blocks = most_tiles(n, level.parents, tiles.size());
      return launch;
    };
    const int of_tree = Tree::shared_memory(level.ways, nodes(level));
    plan.push_back(in_tiles(launch_of_tiles<Classify>(
        n, tiles.size(), {tiles.threads, Classify::shared_memory(level.ways, of_tree)},
        {tiles.threads, elements_of_tile})));
    plan.push_back(launch_of<PlaceBuckets>(n, level.parents, {most_ways, PlaceBuckets::shared_memory()}));
    plan.push_back(in_tiles(launch_of_tiles<Scatter>(
        n, tiles.size(), {tiles.threads, Scatter::shared_memory(level.ways, tiles.threads, elements_of_tile)},
        {tiles.threads, elements_of_tile})));
  }

  /// Buckets of all parents of a level, with room for as many as each may have.
  std::size_t most_buckets() const { return levels() > 0 ? std::size_t(last().parents * last().ways) : 0; }

  /// Counts of the tiles of any level.
  std::size_t most_counts() const {
    Index most = 0;
    for (const SplitLevels::Level& level : choice_.split.levels)
      most = max(most, most_tiles(n_, level.parents, tiles_of_.size()) * level.ways);
    return std::size_t(most);
  }

  /// Returns the launch after those of the level.
  std::size_t distribute(std::size_t launch, std::size_t i, ConstListOf<Element> from, ListOf<Element> to) {
    const SplitLevels::Level& level = choice_.split.levels[i];
    const BucketBounds parents{read_only(begins_[i].span())};
    const Span<const Key> keys = keys_of(from);
    const Span<TileOfBucket> list = i > 0 ? tiles_.span() : Span<TileOfBucket>{};
    const Span<u32> list_count = i > 0 ? Span<u32>{tile_counts_.data() + i, 1} : Span<u32>{};
    const TileList<BucketBounds> tiles{read_only(list), read_only(list_count), parents, tiles_of_.size()};
    launch = space_.choose(
        plan_, launch, i, keys, parents,
        ChosenSplitters<Key>{splitters_.span(),
                             equal_.span(),
                             splits_.span(),
                             counters_.span(),
                             {tiles_of_.size(), int(levels()), int(i), list, tile_counts_.span()}});
    const Tree tree{read_only(splitters_.span()), read_only(equal_.span()),
                    read_only(splits_.span()),    level.ways,
                    choice_.log_samples,          nodes(level)};
    plan_.launch(launch, Classify{keys, tiles, tree, bucket_of_.span(), counters_.span(), histograms_.span(),
                                  level.ways, tiles_of_.threads, elements_of_tile});
    plan_.launch(launch + 1, PlaceBuckets{parents, read_only(splits_.span()), counters_.span(),
                                          begins_[i + 1].span(), level.ways});
    plan_.launch(launch + 2,
                 Scatter{from, to, tiles, read_only(bucket_of_.span()), read_only(histograms_.span()),
                         counters_.span(), level.ways, tiles_of_.threads, elements_of_tile});
    return launch + 3;
  }

  Index n_;
  int threads_, elements_;
  Tiles tiles_of_;
  Choice choice_;
  PreparedPlan plan_;
  typename Choice::Space space_;
  DeviceList<Element> other_;  // levels alternate between this and the output
  DeviceArray<u8> bucket_of_;
  DeviceArray<u16> histograms_;
  DeviceArray<Key> splitters_;
  DeviceArray<EqualSamples> equal_;
  DeviceArray<u64> counters_;
  DeviceArray<Split> splits_;
  DeviceArray<TileOfBucket> tiles_;
  DeviceArray<u32> tile_counts_;
  std::vector<DeviceArray<Index>> begins_;  // of the buckets of each level, beginning with the whole
};

}  // namespace fathom
