// SPDX-License-Identifier: Apache-2.0
// The launches that put elements in the order of their keys' first bits.
#pragma once

#include <fathom/algorithms/sort/radix/msd/count_prefixes.h>
#include <fathom/algorithms/sort/radix/msd/plan_buckets.h>
#include <fathom/algorithms/sort/radix/onesweep/digit_splits.h>

#include <cmath>
#include <numbers>

namespace fathom {

/// Decides by how many of their first bits keys are put into buckets that a block's tile holds.
struct PrefixBuckets {
  static constexpr int usual_bits = 16;

  Index tile;                  ///< elements of a block
  int most_bits = usual_bits;  ///< for which a block has counters
  int least_bits = 1;          ///< so many, if keys have them, as a bucket needs to be sorted by counting

  /// Chooses as few bits, from least_bits on, as keep the buckets of random keys from exceeding a tile: a
  /// block takes as long for half a bucket as for a full one. Fewer keys than a block's have buckets all the
  /// same.
  int bits(Index n, BitRange range) const {
    const int most = min(most_bits, range.end - range.begin);
    int bits = min(least_bits, most);
    while (bits < most && overflow(n, std::exp2(-bits))) ++bits;
    return bits;
  }
  /// True if a bucket that each of n random keys has with the probability `share` is likely to exceed a tile.
  /// At 5.5 standard deviations one of 2^16 buckets exceeds it once in 800 sorts.
  bool overflow(Index n, double share) const {
    const double mean = double(n) * share, variance = mean * (1 - share);
    return mean + 5.5 * std::sqrt(variance) > double(tile);
  }

  struct Large {
    double probability;  ///< that a bucket exceeds a tile
    double mean;         ///< of its elements if it does, of none if not
  };
  /// The bucket is one that each of n random keys has with the probability `share`. The binomial distribution
  /// of its elements is taken as a normal one.
  Large large(Index n, double share) const {
    const double mean = double(n) * share, deviation = std::sqrt(mean * (1 - share));
    if (deviation == 0) return mean > double(tile) ? Large{1, mean} : Large{0, 0};
    const double margin = (double(tile) - mean) / deviation;
    const double probability = std::erfc(margin / std::sqrt(2.0)) / 2;
    const double density = std::exp(-margin * margin / 2) / std::sqrt(2 * std::numbers::pi);
    return {probability, mean * probability + deviation * density};
  }
};

/// The shapes of these launches.
struct PrefixShape {
  static constexpr int digit_bits = 8, passes = 2;
  static constexpr int threads_of_counts = 1024, threads_of_splits = 512;
};

/// The prefixes of `bits` bits, 1 to 16, and their buckets; the two passes by prefixes. A launch that has no
/// work, as a second pass by one bit has, ends at once: it has a name of its own.
template <class Element>
Plan plan_of_prefixes(Index n, int bits, int split_elements, bool has_passes, BitRange sorted,
                      const PlanDevice& device) {
  using Splits = DigitSplits<Element>;
  using Prefixes = CountPrefixes<KeyOf<Element>>;
  using Buckets = PlanBuckets<>;
  using Shape = PrefixShape;
  const Launch prefixes = with_resident_blocks(
      launch_of<Prefixes>(n, 1, {Shape::threads_of_counts, Prefixes::shared_memory(bits)},
                          {Shape::threads_of_counts, bits}),
      n, Index(Shape::threads_of_counts) * Prefixes::in_flight, device);
  // The work of one round of 8,192 prefixes, of which there are at most eight.
  const Launch buckets =
      launch_of<Buckets>(1, 1, {Shape::threads_of_counts, Buckets::shared_memory(1 << Shape::digit_bits)},
                         {Shape::threads_of_counts});
  // How many lanes of a warp meet in a bin depends on how many bits of the prefix a digit has.
  const auto split_by = [&](int digit, Launch split) {
    split.kernel = &variant_of(*split.kernel, has_passes ? digit : 0);
    return split;
  };
  const Launch first =
      Splits::launch_first(n, Shape::digit_bits, Shape::threads_of_splits, split_elements, sorted);
  const Launch second =
      Splits::launch_later(n, Shape::digit_bits, Shape::threads_of_splits, split_elements, 1, sorted);
  const int lower = bits / 2, upper = bits - lower;
  return {prefixes, buckets, split_by(lower > 0 ? lower : upper, first),
          split_by(lower > 0 ? upper : 0, second)};
}

}  // namespace fathom
