// SPDX-License-Identifier: Apache-2.0
// How elements that are spread over ranks are divided by the first bits of their keys.
#pragma once

#include <fathom/algorithms/gpus/prefix/sort_received_buckets.h>
#include <fathom/algorithms/sort/radix/msd/prefix_passes.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace fathom {

/// The shape of a block that sorts a bucket.
struct BucketShape {
  int threads, elements;  ///< of a thread
  Index tile() const { return Index(threads) * elements; }
};

/// Elements whose keys begin with the same `bits` bits are a bucket. A bucket of all ranks' elements goes to
/// one rank, where a block sorts it.
struct PrefixDivision {
  static constexpr int digit_bits = PrefixShape::digit_bits;

  /// Returns how many elements a thread of a block of the passes has: as radix-msd's of many elements, or as
  /// many as a block has shared memory for.
  template <class Element>
  static int split_elements(const PlanDevice& device) {
    constexpr bool short_keys = sizeof(KeyOf<Element>) == 4;
    int elements = has_values<Element> ? (short_keys ? 32 : 20) : short_keys ? 22 : 14;
    while (elements > 2 &&
           SplitByDigit<Element, u64>::shared_memory(PrefixShape::threads_of_splits, elements, digit_bits) >
               device.shared_bytes_per_block)
      elements -= 2;
    return elements;
  }

  int bits;  ///< of the prefix
  BucketShape shape;
  /// False for random keys with buckets that are too large, blocks with too little shared memory, a single
  /// rank, or too many, and without elements.
  bool fits;

  /// `n` are the elements of all ranks.
  template <class Element>
  static PrefixDivision of(Index n, int ranks, const PlanDevice& device, BucketShape shape) {
    const PrefixBuckets in_tiles{
        shape.tile(),
        that_fit(PrefixBuckets::usual_bits, device, CountPrefixes<KeyOf<Element>>::shared_memory),
        least_common_bits<Element>(shape.threads, shape.elements)};
    // A cut lies between two buckets, up to half of one from where it is wanted, and a rank may have a
    // twentieth more or less than an equal part: so a rank needs some more than twenty buckets.
    const int even = int(std::bit_width(unsigned(ranks))) + 5;
    const int bits =
        std::min(in_tiles.most_bits, std::max(in_tiles.bits(n, BitRange::all<KeyOf<Element>>()), even));
    const int shared = SortReceivedBuckets<Element>::shared_memory(shape.threads, shape.elements, digit_bits);
    return {bits, shape,
            shared <= device.shared_bytes_per_block && ranks > 1 &&
                ranks <= ReceivedBuckets<Element>::most_ranks && n > 0 && n >> 32 == 0 &&
                !in_tiles.overflow(n, std::exp2(-bits))};
  }
  /// With the smallest tiles that buckets all but fill, as a block takes as long for half a bucket; or those
  /// that they fill best.
  template <class Element>
  static PrefixDivision of(Index n, int ranks, const PlanDevice& device) {
    // Each is the fastest of its size (two H200s, 2^28 and 2^29 elements in all).
    constexpr BucketShape largest =
        sizeof(Element) == 8 && !has_values<Element> ? BucketShape{768, 12} : BucketShape{512, 17};
    constexpr double full = 0.8;
    PrefixDivision best{};
    double filled_best = 0;
    for (const BucketShape& shape : {BucketShape{384, 12}, BucketShape{384, 17}, largest}) {
      const PrefixDivision division = of<Element>(n, ranks, device, shape);
      const double filled = std::ldexp(double(n), -division.bits) / double(shape.tile());
      if (!best.fits || (division.fits && filled_best < full && filled > filled_best)) {
        best = division;
        filled_best = filled;
      }
    }
    return best;
  }

  int buckets() const { return 1 << bits; }
  /// Returns in how many words a rank tells the others where each of its buckets begins among its elements,
  /// how many elements it has, and whether its keys are too skewed.
  Index words() const { return PlanBuckets<>::padded_buckets(bits) + 2; }
};

}  // namespace fathom
