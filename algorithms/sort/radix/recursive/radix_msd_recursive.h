// SPDX-License-Identifier: Apache-2.0
// Recursive radix sort from the most significant digit on the device (agpu-radix).
#pragma once

#include <fathom/algorithms/launch.h>
#include <fathom/algorithms/sort/device_list.h>
#include <fathom/algorithms/sort/distribution/splitter/scatter_to_buckets.h>
#include <fathom/algorithms/sort/radix/recursive/begin_level.h>
#include <fathom/algorithms/sort/radix/recursive/digit_of_keys.h>
#include <fathom/algorithms/sort/radix/recursive/finish_buckets.h>
#include <fathom/algorithms/sort/radix/recursive/place_parts.h>
#include <fathom/device/prepared_plan.h>

#include <array>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

namespace fathom {

/// The kernels and work space for sorting n keys: they are split by their highest digit, and every bucket
/// that does not fit in a block's tile again by its next one, all of them by the tiles of one launch, so that
/// each has its share of the multiprocessors. Buckets that fit are finished after the level that made them.
///
/// Which buckets there will be is not known when launches are queued, so there are launches for every digit;
/// those of levels without buckets end at once. Keys that share their high digits are the bad case: they go
/// through a pass for each of them. Those of a bucket that is still too large after the last digit are equal.
template <class Key, class LessThan = Less>
class RadixMsdRecursive {
  using Begin = BeginLevel<>;
  using Classify = ClassifyKeys<Key, DigitOfKeys, PartBounds>;
  using Scatter = ScatterToBuckets<Key, PartBounds>;
  using Finish = FinishBuckets<Key>;

 public:
  /// Digits of `digit_bits` ≤ 8 bits; `threads` of a block that finishes a bucket, at least 2^digit_bits, and
  /// their `elements`. Throws std::invalid_argument for others.
  RadixMsdRecursive(Executor& executor, Index n, int digit_bits, int threads, int elements)
      : n_(n),
        digit_bits_(digit_bits),
        threads_(threads),
        elements_(elements),
        plan_(executor, plan(n, digit_bits, threads, elements, executor.plan_device())),
        other_(executor, std::size_t(levels() > 0 ? n : 0)),
        bucket_of_(executor, std::size_t(levels() > 0 ? n : 0)),
        histograms_(executor,
                    std::size_t(levels() > 0 ? most_tiles(n, most_parents(), tile_size) * ways() : 0)),
        counters_(executor, std::size_t(most_parents() * ways())),
        parents_{DeviceArray<PartOfList>(executor, std::size_t(most_parents())),
                 DeviceArray<PartOfList>(executor, std::size_t(most_parents()))},
        tiles_(executor, std::size_t(levels() > 0 ? most_tiles(n, most_parents(), tile_size) : 0)),
        tile_counts_(executor, std::size_t(levels())),
        whole_(executor, std::span<const PartOfList>(std::array{PartOfList{0, n}})),
        end_(executor, std::span<const u64>(std::array{u64(n)})),
        // That of the first level stays.
        parent_counts_(executor, std::span<const u32>(std::vector<u32>(std::size_t(max(levels(), 1)), 1))) {}

  /// For each digit: tiles of its buckets, classification, places, scatter, and the sort of buckets that fit.
  /// After the last digit none has to be sorted. Of so few keys that a block sorts them, only that.
  static Plan plan(Index n, int digit_bits, int threads, int elements, const PlanDevice& device) {
    if (digit_bits < 1 || digit_bits > 8 || threads < 1 << digit_bits)
      throw std::invalid_argument("radix-msd-recursive: digits of " + std::to_string(digit_bits) +
                                  " bits and blocks of " + std::to_string(threads) +
                                  " threads: choose at most 8 bits, and a thread for each value of a digit");
    const Index tile = Index(threads) * elements;
    const int ways = 1 << digit_bits;
    Launch finish = with_resident_blocks(
        launch_of<Finish>(n, 1, {threads, Finish::shared_memory(threads, elements, digit_bits)},
                          {threads, elements, digit_bits}),
        n, tile, device);
    const int all = levels(n, digit_bits, tile);
    // Levels that keys spread over their range need, after the last of which buckets fit in a tile: nearly
    // all are within four standard deviations of their mean size.
    const double most = double(tile) - 4 * std::sqrt(double(tile));
    double size = double(n);
    int needed = 0;
    for (; needed < all && (needed == 0 || size > most); size /= ways) ++needed;
    if (needed > 0) finish.parts = std::round(double(n) / size);
    // The launches of others, whose blocks end at once, have other work.
    const auto named = [](Launch launch, bool has_work) {
      if (!has_work) launch.kernel = &variant_of(*launch.kernel, 0);
      return launch;
    };
    Plan plan;
    for (int i = 0; i < all; ++i) {
      const Index parents = most_parents(n, i, digit_bits, tile);
      const auto in_tiles = [&](Launch launch) {
        launch.blocks = most_tiles(n, parents, tile_size);
        return named(launch, i < needed);
      };
      plan.push_back(named(
          launch_of<Begin>(parents, parents, {threads_of_begin, Begin::shared_memory()}, {threads_of_begin}),
          i < needed));
      plan.back().level = std::floor(most * ways);  // that a single level divides
      plan.push_back(in_tiles(launch_of_tiles<Classify>(n, tile_size,
                                                        {threads_of_tile, Classify::shared_memory(ways, 0)},
                                                        {threads_of_tile, elements_of_tile})));
      plan.push_back(
          named(launch_of<PlaceParts>(n, parents, {max(ways, warp_width), PlaceParts::shared_memory()}),
                i < needed));
      plan.push_back(in_tiles(launch_of_tiles<Scatter>(
          n, tile_size, {threads_of_tile, Scatter::shared_memory(ways, threads_of_tile, elements_of_tile)},
          {threads_of_tile, elements_of_tile})));
      if (i + 1 < all) plan.push_back(named(finish, i + 1 == needed));
    }
    if (plan.empty()) plan.push_back(finish);
    return plan;
  }

  /// Queues the sort of `input` into `output`; both have n keys and do not overlap.
  void run(Span<const Key> input, Span<Key> output) {
    if (n_ == 0) return;
    const PartBounds whole{read_only(whole_.span())};
    constexpr BitRange all = BitRange::all<Key>();
    if (levels() == 0) {
      plan_.launch(0, Finish{input, output, whole, parent_count(0), read_only(end_.span()), 1, all, threads_,
                             elements_, digit_bits_});
      return;
    }
    Span<const Key> from = input;
    int end = all.end;
    for (int i = 0; i < levels(); ++i) {
      // The last level ends in the output.
      const Span<Key> to = (levels() - i) % 2 == 1 ? output : other_.span();
      const BitRange rest{max(end - digit_bits_, 0), end};
      split(i, from, to, {rest.begin, rest.end - rest.begin}, i > 0 ? parents(i) : whole);
      end = rest.begin;
      if (i + 1 < levels())
        plan_.launch(std::size_t(5 * i + 4), Finish{read_only(to),
                                                    output,
                                                    i > 0 ? parents(i) : whole,
                                                    parent_count(i),
                                                    read_only(counters_.span()),
                                                    int(ways()),
                                                    {0, end},
                                                    threads_,
                                                    elements_,
                                                    digit_bits_});
      from = read_only(to);
    }
  }

  /// How many buckets each level of the last run split.
  std::vector<u32> parents_of_levels() const { return parent_counts_.download(); }
  std::vector<KernelResources> kernels() const { return plan_.resources(); }

 private:
  static constexpr int threads_of_begin = 256;
  static constexpr int threads_of_tile = 512, elements_of_tile = 64 / int(sizeof(Key));
  static constexpr int tile_size = threads_of_tile * elements_of_tile;

  static int levels(Index n, int digit_bits, Index tile) {
    return n > tile ? BitRange::all<Key>().digits(digit_bits) : 0;
  }
  /// Of a level, each of more keys than a tile.
  static Index most_parents(Index n, int level, int digit_bits, Index tile) {
    const Index of_size = n / (tile + 1);
    return level * digit_bits < 62 ? min(of_size, Index(1) << (level * digit_bits)) : of_size;
  }
  int levels() const { return levels(n_, digit_bits_, Index(threads_) * elements_); }
  /// Of any level.
  Index most_parents() const {
    return levels() > 0 ? most_parents(n_, levels() - 1, digit_bits_, Index(threads_) * elements_) : 0;
  }
  Index ways() const { return Index(1) << digit_bits_; }

  PartBounds parents(int level) const {
    const DeviceArray<PartOfList>& of = parents_[std::size_t(level % 2)];
    return {read_only(of.span())};
  }
  Span<u32> count_of_parents(int level) { return {parent_counts_.data() + level, 1}; }
  Span<const u32> parent_count(int level) { return read_only(count_of_parents(level)); }

  void split(int i, Span<const Key> from, Span<Key> to, Digit digit, const PartBounds& parents) {
    const bool first = i == 0, last = i + 1 == levels();
    const Span<TileOfBucket> list = first ? Span<TileOfBucket>{} : tiles_.span();
    const Span<u32> list_count = first ? Span<u32>{} : Span<u32>{tile_counts_.data() + i, 1};
    const TileList<PartBounds> tiles{read_only(list), read_only(list_count), parents, tile_size};
    const auto launch = std::size_t(5 * i);
    plan_.launch(launch, Begin{parents,
                               parent_counts_.span(),
                               counters_.span(),
                               {tile_size, levels(), i, list, tile_counts_.span()},
                               int(ways()),
                               threads_of_begin});
    plan_.launch(launch + 1, Classify{from,
                                      tiles,
                                      {digit},
                                      bucket_of_.span(),
                                      counters_.span(),
                                      histograms_.span(),
                                      int(ways()),
                                      threads_of_tile,
                                      elements_of_tile});
    plan_.launch(launch + 2, PlaceParts{parents, parent_count(i), counters_.span(),
                                        last ? Span<PartOfList>{} : parents_[std::size_t((i + 1) % 2)].span(),
                                        last ? Span<u32>{} : count_of_parents(i + 1),
                                        Index(threads_) * elements_, int(ways())});
    plan_.launch(launch + 3,
                 Scatter{from, to, tiles, read_only(bucket_of_.span()), read_only(histograms_.span()),
                         counters_.span(), int(ways()), threads_of_tile, elements_of_tile});
  }

  Index n_;
  int digit_bits_, threads_, elements_;
  PreparedPlan plan_;       // first, since making the plan checks the parameters
  DeviceArray<Key> other_;  // levels alternate between this and the output
  DeviceArray<u8> bucket_of_;
  DeviceArray<u16> histograms_;
  DeviceArray<u64> counters_;
  std::array<DeviceArray<PartOfList>, 2> parents_;  // of every other level after the first
  DeviceArray<TileOfBucket> tiles_;
  DeviceArray<u32> tile_counts_;
  DeviceArray<PartOfList> whole_;  // the first level's parent
  DeviceArray<u64> end_;           // of the whole
  DeviceArray<u32> parent_counts_;
};

}  // namespace fathom
