// SPDX-License-Identifier: Apache-2.0
// Splitter-based distribution sort on the device (agpu-radix: sample sort): split into buckets
// by splitters from a sample, level by level, until a block can sort a bucket in shared memory.
#pragma once

#include <fathom/algorithms/launch.h>
#include <fathom/algorithms/sort/device_list.h>
#include <fathom/algorithms/sort/distribution/splitter/choose_splitters.h>
#include <fathom/algorithms/sort/distribution/splitter/classify_keys.h>
#include <fathom/algorithms/sort/distribution/splitter/place_buckets.h>
#include <fathom/algorithms/sort/distribution/splitter/scatter_to_buckets.h>
#include <fathom/algorithms/sort/distribution/splitter/sort_buckets.h>
#include <fathom/algorithms/sort/distribution/splitter/sort_large_buckets.h>
#include <fathom/device/prepared_plan.h>

#include <array>
#include <bit>
#include <cmath>
#include <stdexcept>
#include <string>
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
  static constexpr double fill = 2.0 / 3;  ///< of a tile by a bucket

  /// Chooses as few levels as possible, with about as many ways each: up to S, of which a twentieth is kept
  /// for parents that are larger than they should be. A bucket should fill two thirds of a tile that a block
  /// sorts: of random samples, 64 per bucket, hardly a bucket is then larger than a tile.
  static SplitLevels of(Index n, int most_ways, Index tile) {
    constexpr double share_of_ways = 0.95;
    SplitLevels split;
    if (n <= tile) return split;
    const double needed = double(n) / (fill * double(tile));
    int count = 1;
    while (needed > std::pow((count > 1 ? share_of_ways : 1) * most_ways, count)) ++count;
    const double ways = std::pow(needed, 1.0 / count);
    const Index first_child = ceil_div(n, Index(std::ceil(ways)));
    const Index first_buckets = ceil_div(n, first_child);
    split.levels.push_back({1, int(first_buckets), first_child, first_buckets});
    for (int i = 1; i < count; ++i) {
      const Index parents = split.levels.back().buckets;
      const Index child = Index(std::ceil(double(n) / std::pow(ways, i + 1)));
      // Each parent may have a last bucket that is not full.
      split.levels.push_back({parents, most_ways, child, n / child + parents});
    }
    return split;
  }

  /// The most elements that a single level divides.
  static double of_one_level(int most_ways, Index tile) {
    return std::floor(fill * double(tile) * most_ways);
  }
  Index buckets() const { return levels.empty() ? 1 : levels.back().buckets; }
};

/// The kernels and work space for sorting n elements: keys, or records of a key and a value (records.h). Keys
/// are of any trivially copyable type of whole words; LessThan is any stateless strict weak order of keys.
/// Elements that are equal in order may change places. The time does not depend on the order of the input,
/// and hardly on how often keys repeat.
template <class Element, class LessThan, class Stability = Unstable>
class SortSplitter {
  using Key = KeyOf<Element>;
  using Choose = ChooseSplitters<Key, LessThan>;
  using Classify = ClassifyKeys<Key, LessThan>;
  using Scatter = ScatterToBuckets<Element>;
  using Sort = SortBuckets<Element, LessThan>;
  using SortLarge = SortLargeBuckets<Element, LessThan>;

 public:
  /// At most `ways` ≤ 256 buckets of a bucket, from a sample of `samples` each, a power of two; blocks of
  /// `threads` threads with `elements` each sort the buckets of the last level. ways·samples < 2^16.
  /// Throws std::invalid_argument for others.
  SortSplitter(Executor& executor, Index n, int ways, int samples, int threads, int elements)
      : n_(n),
        samples_(samples),
        threads_(threads),
        elements_(elements),
        sample_elements_(sample_elements(ways, samples)),
        plan_(executor, plan(n, ways, samples, threads, elements, executor.plan_device())),
        split_(SplitLevels::of(n, ways, Index(threads) * elements)),
        other_(executor, std::size_t(levels() > 0 ? n : 0)),
        bucket_of_(executor, std::size_t(levels() > 0 ? n : 0)),
        histograms_(executor, most_counts()),
        splitters_(executor, most_buckets()),
        equal_(executor, most_buckets()),
        counters_(executor, most_buckets()),
        splits_(executor, levels() > 0 ? std::size_t(split_.levels.back().parents) : 0),
        tiles_(executor, levels() > 1 ? std::size_t(tiles_of(n, split_.levels.back().parents)) : 0),
        tile_counts_(executor, std::size_t(levels())) {
    const std::array<Index, 2> whole{0, n};
    begins_.emplace_back(executor, std::span<const Index>(whole));
    for (const SplitLevels::Level& level : split_.levels)
      begins_.emplace_back(executor, std::size_t(level.buckets + 1));
  }

  /// The four steps of each level, and the sort of its buckets. Throws std::invalid_argument for parameters
  /// that the constructor does not allow.
  static Plan plan(Index n, int ways, int samples, int threads, int elements, const PlanDevice&) {
    if (ways < 2 || ways > most_ways || !std::has_single_bit(unsigned(samples)) || ways * samples >= 1 << 16)
      throw std::invalid_argument("sort-splitter: " + std::to_string(ways) + " buckets of " +
                                  std::to_string(samples) + " samples: at most 256 buckets, a power of two " +
                                  "of samples, and in all fewer than 65536 samples are possible");
    const SplitLevels split = SplitLevels::of(n, ways, Index(threads) * elements);
    const int of_sample = sample_elements(ways, samples);
    Plan plan;
    plan.reserve(4 * split.levels.size() + 2);
    for (const SplitLevels::Level& level : split.levels) {
      const Index tiles = tiles_of(n, level.parents);
      const int nodes = int(std::bit_ceil(unsigned(level.ways)));
      const auto in_tiles = [tiles](Launch launch) {
        launch.blocks = tiles;
        return launch;
      };
      plan.push_back(
          launch_of<Choose>(level.parents * level.ways * samples, level.parents,
                            {threads_of_sample, Choose::shared_memory(threads_of_sample, of_sample)},
                            {threads_of_sample, of_sample}));
      plan.back().level = SplitLevels::of_one_level(ways, Index(threads) * elements);
      plan.push_back(in_tiles(launch_of_tiles<Classify>(
          n, tile_size, {threads_of_tile, Classify::shared_memory(level.ways, nodes)},
          {threads_of_tile, elements_of_tile})));
      plan.push_back(launch_of<PlaceBuckets>(n, level.parents, {most_ways, PlaceBuckets::shared_memory()}));
      plan.push_back(in_tiles(launch_of_tiles<Scatter>(
          n, tile_size,
          {threads_of_tile, Scatter::shared_memory(level.ways, threads_of_tile, elements_of_tile)},
          {threads_of_tile, elements_of_tile})));
    }
    const Index bucket = max(Index(1), ceil_div(n, split.buckets()));
    Launch sort = launch_of_tiles<Sort>(n, bucket, {threads, Sort::shared_memory(threads, elements)},
                                        {threads, elements});
    sort.blocks = split.buckets();
    plan.push_back(sort);
    if (split.levels.empty()) return plan;
    Launch sort_large = launch_of_tiles<SortLarge>(
        n, bucket * threads_of_large,
        {threads_of_large, SortLarge::shared_memory(threads_of_large, elements_of_large)},
        {threads_of_large, elements_of_large});
    sort_large.blocks = ceil_div(split.buckets(), threads_of_large);
    plan.push_back(sort_large);
    return plan;
  }

  /// Queues the sort of `input` into `output`; both have n elements and do not overlap.
  void run(ConstListOf<Element> input, ListOf<Element> output) {
    if (n_ == 0) return;
    ConstListOf<Element> from = input;
    for (std::size_t i = 0; i < levels(); ++i) {
      // The last level ends in the other array, from which the buckets are sorted into the output.
      const ListOf<Element> to = (levels() - i) % 2 == 1 ? other_.list() : output;
      distribute(i, from, to);
      from = read_only(to);
    }
    const BucketBounds buckets{read_only(begins_.back().span())};
    plan_.launch(4 * levels(), Sort{from, output, buckets, threads_, elements_});
    if (levels() > 0)
      plan_.launch(4 * levels() + 1,
                   SortLarge{other_.list(), output, buckets, split_.buckets(), Index(threads_) * elements_,
                             threads_of_large, elements_of_large});
  }

  /// Sizes of the buckets of the last level of the last run.
  std::vector<Index> bucket_sizes() const {
    std::vector<Index> sizes = begins_.back().download();
    for (std::size_t i = 0; i + 1 < sizes.size(); ++i) sizes[i] = sizes[i + 1] - sizes[i];
    sizes.pop_back();
    return sizes;
  }
  std::vector<KernelResources> kernels() const { return plan_.resources(); }

 private:
  static constexpr int most_ways = 256;  // buckets are numbered in bytes
  static constexpr int threads_of_sample = 1024;
  // Tiles are as large as shared memory allows: the more elements of a tile go to a bucket, the fewer sectors
  // are written in parts.
  static constexpr int threads_of_tile = 512, elements_of_tile = 64 / int(sizeof(Key));
  static constexpr int tile_size = threads_of_tile * elements_of_tile;
  static constexpr int threads_of_large = 256, elements_of_large = 15;  // enough registers for any type

  /// Elements of a thread; odd, against bank conflicts.
  static int sample_elements(int ways, int samples) {
    return int(ceil_div(Index(ways) * samples, threads_of_sample)) | 1;
  }
  /// Room for the tiles of so many parents.
  static Index tiles_of(Index n, Index parents) {
    return parents == 1 ? ceil_div(n, tile_size)
                        : ceil_div(n + parents * (TileList::alignment - 1), tile_size) + parents;
  }

  std::size_t levels() const { return split_.levels.size(); }
  /// Buckets of all parents of a level, with room for as many as each may have.
  std::size_t most_buckets() const {
    return levels() > 0 ? std::size_t(split_.levels.back().parents * split_.levels.back().ways) : 0;
  }

  /// Counts of the tiles of any level.
  std::size_t most_counts() const {
    Index most = 0;
    for (const SplitLevels::Level& level : split_.levels)
      most = max(most, tiles_of(n_, level.parents) * level.ways);
    return std::size_t(most);
  }

  void distribute(std::size_t i, ConstListOf<Element> from, ListOf<Element> to) {
    const SplitLevels::Level& level = split_.levels[i];
    const BucketBounds parents{read_only(begins_[i].span())};
    const Span<const Key> keys = keys_of(from);
    const Span<TileOfBucket> list = i > 0 ? tiles_.span() : Span<TileOfBucket>{};
    const Span<u32> list_count = i > 0 ? Span<u32>{tile_counts_.data() + i, 1} : Span<u32>{};
    const TileList tiles{read_only(list), read_only(list_count), parents, tile_size};
    plan_.launch(4 * i, Choose{keys, parents, level.child, level.ways, samples_, tile_size, int(levels()),
                               int(i), splitters_.span(), equal_.span(), splits_.span(), counters_.span(),
                               list, tile_counts_.span(), threads_of_sample, sample_elements_});
    plan_.launch(4 * i + 1,
                 Classify{keys, tiles, read_only(splitters_.span()), read_only(equal_.span()),
                          read_only(splits_.span()), bucket_of_.span(), counters_.span(), histograms_.span(),
                          level.ways, int(std::bit_width(unsigned(samples_))) - 1,
                          int(std::bit_ceil(unsigned(level.ways))), threads_of_tile, elements_of_tile});
    plan_.launch(4 * i + 2, PlaceBuckets{parents, read_only(splits_.span()), counters_.span(),
                                         begins_[i + 1].span(), level.ways});
    plan_.launch(4 * i + 3,
                 Scatter{from, to, tiles, read_only(bucket_of_.span()), read_only(histograms_.span()),
                         counters_.span(), level.ways, threads_of_tile, elements_of_tile});
  }

  Index n_;
  int samples_, threads_, elements_, sample_elements_;
  PreparedPlan plan_;  // first, since making the plan checks the parameters
  SplitLevels split_;
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
