// SPDX-License-Identifier: Apache-2.0
// Sample sort on the device: splitters from a random sample.
#pragma once

#include <fathom/algorithms/sort/distribution/splitter/choose_splitters.h>
#include <fathom/algorithms/sort/distribution/splitter/sort_by_splitters.h>

#include <cmath>
#include <stdexcept>
#include <string>

namespace fathom {

/// Splitters of a bucket from `samples` of its keys per bucket that it is split into, drawn at random.
template <class Key, class LessThan>
struct RandomSplitters {
  using Choose = ChooseSplitters<Key, LessThan>;

  int ways, samples;
  Index tile;
  SplitLevels split;
  int log_samples;

  static constexpr double fill = 2.0 / 3;  ///< of a tile by a bucket
  static constexpr int threads = 1024;

  /// At most `ways` buckets of a bucket; ways·samples < 2^16, samples a power of two. Throws
  /// std::invalid_argument for others.
  static RandomSplitters of(Index n, int ways, int samples, Index tile) {
    constexpr int most_ways = 256;
    if (ways < 2 || ways > most_ways || !std::has_single_bit(unsigned(samples)) || ways * samples >= 1 << 16)
      throw std::invalid_argument("sort-splitter: " + std::to_string(ways) + " buckets of " +
                                  std::to_string(samples) + " samples: at most 256 buckets, a power of two " +
                                  "of samples, and in all fewer than 65536 samples are possible");
    return {ways, samples, tile, levels(n, ways, tile), int(std::bit_width(unsigned(samples))) - 1};
  }

  /// Chooses as few levels as possible, with about as many ways each: up to S, of which a twentieth is kept
  /// for parents that are larger than they should be. A bucket should fill two thirds of a tile that a block
  /// sorts: of random samples, 64 per bucket, hardly a bucket is then larger than a tile.
  static SplitLevels levels(Index n, int most_ways, Index tile) {
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

  void append(Plan& plan, std::size_t i, const PlanDevice&) const {
    const SplitLevels::Level& level = split.levels[i];
    plan.push_back(launch_of<Choose>(level.parents * level.ways * samples, level.parents,
                                     {threads, Choose::shared_memory(threads, elements())},
                                     {threads, elements()}));
    // The most elements that a single level divides.
    plan.back().level = std::floor(fill * double(tile) * ways);
  }

  /// Elements of a thread; odd, against bank conflicts.
  int elements() const { return int(ceil_div(Index(ways) * samples, threads)) | 1; }

  struct Space {
    const RandomSplitters choice;
    Space(Executor&, const RandomSplitters& of) : choice(of) {}

    std::size_t choose(const PreparedPlan& plan, std::size_t launch, std::size_t i, Span<const Key> keys,
                       const BucketBounds& parents, const ChosenSplitters<Key>& chosen) const {
      const SplitLevels::Level& level = choice.split.levels[i];
      plan.launch(launch, Choose{keys, parents, level.child, level.ways, choice.samples, chosen.splitters,
                                 chosen.equal, chosen.splits, chosen.counters, chosen.tiles, threads,
                                 choice.elements()});
      return launch + 1;
    }
  };
};

/// The time does not depend on the order of the input, and hardly on how often keys repeat.
template <class Element, class LessThan, class Stability = Unstable>
class SortSplitter : public SortBySplitters<Element, LessThan, RandomSplitters<KeyOf<Element>, LessThan>> {
  using Splitters = RandomSplitters<KeyOf<Element>, LessThan>;
  using Sort = SortBySplitters<Element, LessThan, Splitters>;

 public:
  /// At most `ways` ≤ 256 buckets of a bucket, from a sample of `samples` each, a power of two; blocks of
  /// `threads` threads with `elements` each sort the buckets of the last level. ways·samples < 2^16.
  /// Throws std::invalid_argument for others.
  SortSplitter(Executor& executor, Index n, int ways, int samples, int threads, int elements)
      : Sort(executor, n, Splitters::of(n, ways, samples, Index(threads) * elements), threads, elements) {}

  static Plan plan(Index n, int ways, int samples, int threads, int elements, const PlanDevice& device) {
    return Sort::plan(n, Splitters::of(n, ways, samples, Index(threads) * elements), threads, elements,
                      device);
  }
};

}  // namespace fathom
