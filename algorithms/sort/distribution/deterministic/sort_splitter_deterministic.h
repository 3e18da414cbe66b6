// SPDX-License-Identifier: Apache-2.0
// Splitter-based distribution sort with deterministic splitters on the device (agpu-radix).
#pragma once

#include <fathom/algorithms/sort/distribution/deterministic/pick_splitters.h>
#include <fathom/algorithms/sort/distribution/deterministic/sample_chunks.h>
#include <fathom/algorithms/sort/distribution/splitter/sort_by_splitters.h>
#include <fathom/algorithms/sort/merge/pairwise/sort_pairwise.h>

#include <deque>
#include <stdexcept>
#include <string>

namespace fathom {

/// Splitters of which no bucket has more than 5/4 of its even share, if keys are distinct.
///
/// Chunks of m keys are sorted, every s-th position of all sorted chunks is a sample, the samples are sorted,
/// and every q-th of a parent's is a splitter, q = ⌈T/S⌉ of T samples. The bound: let a parent have N keys,
/// in at most C = ⌊N/m⌋ + 2 chunks, the first and the last of which it may share with others. T ≤ (N + s −
/// 1)/s, so s·q ≤ N/S + s. A bucket has at most q samples. Of a chunk in which it has c of them its keys are
/// consecutive, from after one sample to before the next but c, hence at most (c + 1)·s − 1. Together
///     s·q + C·(s − 1) ≤ N/S + s + C·(s − 1),
/// which is at most 5N/(4S) for s·(C + 1) ≤ N/(4S) + C; for N much larger than m, s ≤ m/(4S) as in the
/// source. A level takes the largest s of the largest parent that it may have; smaller ones have smaller
/// buckets.
///
/// Equal keys: one that equals a splitter takes a place among the equal samples by its position, pseudo-
/// randomly, and goes where the sample there would, as in sort-splitter. The bound does not hold then, since
/// C·(s − 1) may come from both ends of a bucket and the place is random: SortLargeBuckets sorts a bucket
/// that is larger than a tile.
template <class Key, class LessThan>
struct RegularSplitters {
  using Sample = SampleChunks<Key, LessThan>;
  using Samples = SortPairwise<Key, LessThan>;
  using Pick = PickSplitters<Key, LessThan>;

  Index n;
  int ways, threads, elements;
  SplitLevels split;
  static constexpr int log_samples = Pick::log_parts;

  static RegularSplitters of(Index n, int ways, int threads, int elements) {
    const Index tile = Index(threads) * elements;
    if (ways < 2 || ways > most_ways || tile < 4 * ways)
      throw std::invalid_argument("sort-splitter-deterministic: S = " + std::to_string(ways) +
                                  " buckets of tiles of " + std::to_string(tile) +
                                  " keys: choose S from 2 to " + std::to_string(most_ways) +
                                  ", and t·E at least 4·S");
    return {n, ways, threads, elements, levels(n, ways, tile)};
  }

  /// The most keys of a bucket of one of `size`.
  static Index largest_bucket(Index size, int ways) {
    return size / (4 * ways) * 5 + size % (4 * ways) * 5 / (4 * ways);
  }
  /// s for parents of at most `size` keys.
  static Index stride(Index size, int ways, Index chunk) {
    const Index chunks = size / chunk + 2;
    return max<Index>((size / (4 * ways) + chunks) / (chunks + 1), 1);
  }

  /// As few levels as possible, and as few ways as these need; Level::child is the most that a bucket has.
  static SplitLevels levels(Index n, int most_ways, Index tile) {
    const auto count = [&](int ways) {
      int levels = 0;
      for (Index size = n; size > tile; size = largest_bucket(size, ways)) ++levels;
      return levels;
    };
    int ways = most_ways;
    while (ways > 2 && count(ways - 1) == count(most_ways)) --ways;
    SplitLevels split;
    Index parents = 1;
    for (Index size = n; size > tile; parents *= ways) {
      size = largest_bucket(size, ways);
      split.levels.push_back({parents, ways, size, parents * ways});
    }
    return split;
  }

  Index stride(std::size_t i) const {
    return stride(i > 0 ? split.levels[i - 1].child : n, split.levels[i].ways, chunk());
  }
  Index chunk() const { return Index(threads) * elements; }

  /// The chunks, the sort of the samples, the splitters.
  void append(Plan& plan, std::size_t i, const PlanDevice& device) const {
    const SplitLevels::Level& level = split.levels[i];
    plan.push_back(launch_of_tiles<Sample>(n, chunk(), {threads, Sample::shared_memory(threads, elements)},
                                           {threads, elements}));
    const Plan sort = Samples::plan(n / stride(i), threads_of_samples, elements_of_samples, device);
    plan.insert(plan.end(), sort.begin(), sort.end());
    plan.push_back(launch_of<Pick>(level.parents * level.ways, level.parents,
                                   {threads_of_pick, Pick::shared_memory()}, {threads_of_pick}));
    // The most elements that a single level divides.
    plan.back().level = double((4 * ways * (chunk() + 1) - 1) / 5);
  }

  class Space {
   public:
    Space(Executor& executor, const RegularSplitters& choice)
        : choice_(choice), samples_(executor, most_samples()), sorted_(executor, most_samples()) {
      for (std::size_t i = 0; i < choice_.split.levels.size(); ++i)
        sorts_.emplace_back(executor, choice_.n / choice_.stride(i), threads_of_samples, elements_of_samples);
    }

    std::size_t choose(const PreparedPlan& plan, std::size_t launch, std::size_t i, Span<const Key> keys,
                       const BucketBounds& parents, const ChosenSplitters<Key>& chosen) {
      const Index stride = choice_.stride(i);
      plan.launch(launch,
                  Sample{keys, samples_.span(), choice_.n, stride, choice_.threads, choice_.elements});
      sorts_[i].run(read_only(samples_.span()), sorted_.span());
      launch +=
          1 + Samples::plan(choice_.n / stride, threads_of_samples, elements_of_samples, any_device()).size();
      plan.launch(launch, Pick{read_only(sorted_.span()), parents, stride, choice_.split.levels[i].ways,
                               chosen.splitters, chosen.equal, chosen.splits, chosen.counters, chosen.tiles,
                               threads_of_pick});
      return launch + 1;
    }

   private:
    std::size_t most_samples() const {
      Index most = 0;
      for (std::size_t i = 0; i < choice_.split.levels.size(); ++i)
        most = max(most, choice_.n / choice_.stride(i));
      return std::size_t(most);
    }

    RegularSplitters choice_;
    DeviceArray<Key> samples_, sorted_;
    std::deque<Samples> sorts_;  // of each level's samples
  };

 private:
  static constexpr int most_ways = 256;  // buckets are numbered in bytes
  static constexpr int threads_of_samples = 128, elements_of_samples = 7;
  static constexpr int threads_of_pick = 64;
};

/// The time does not depend on the order of the input.
template <class Element, class LessThan>
class SortSplitterDeterministic
    : public SortBySplitters<Element, LessThan, RegularSplitters<KeyOf<Element>, LessThan>> {
  using Splitters = RegularSplitters<KeyOf<Element>, LessThan>;
  using Sort = SortBySplitters<Element, LessThan, Splitters>;

 public:
  /// At most `ways` ≤ 256 buckets of a bucket; blocks of `threads` threads with `elements` each sort chunks,
  /// and the buckets of the last level; they have at least 4·ways elements. Throws std::invalid_argument for
  /// others.
  SortSplitterDeterministic(Executor& executor, Index n, int ways, int threads, int elements)
      : Sort(executor, n, Splitters::of(n, ways, threads, elements), threads, elements) {}

  static Plan plan(Index n, int ways, int threads, int elements, const PlanDevice& device) {
    return Sort::plan(n, Splitters::of(n, ways, threads, elements), threads, elements, device);
  }
};

}  // namespace fathom
