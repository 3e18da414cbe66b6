// SPDX-License-Identifier: Apache-2.0
// How elements that are spread over ranks are divided by the first bits of their keys.
#pragma once

#include <fathom/algorithms/sort/radix/msd/prefix_passes.h>
#include <fathom/algorithms/gpus/prefix/sort_received_buckets.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace fathom {

/// Elements whose keys begin with the same `bits` bits are a bucket. A bucket of all ranks' elements goes to
/// one rank, where a block sorts it.
struct PrefixDivision {
  static constexpr int digit_bits = PrefixShape::digit_bits;
  static constexpr int split_elements = 18;  ///< of a thread of a block of the passes
  /// Of a block that sorts a bucket. Where there are 2^k random keys, the 8,192 of a bucket all but fill it.
  static constexpr int usual_threads = 512, usual_elements = 17;

  int bits;  ///< of the prefix
  int threads, elements;
  /// False for random keys with buckets that are too large, blocks with too little shared memory, a single
  /// rank, or too many, and without elements.
  bool fits;

  /// `n` are the elements of all ranks.
  template <class Element>
  static PrefixDivision of(Index n, int ranks, const PlanDevice& device, int threads = usual_threads,
                           int elements = usual_elements) {
    const PrefixBuckets in_tiles{
        Index(threads) * elements,
        that_fit(PrefixBuckets::usual_bits, device, CountPrefixes<KeyOf<Element>>::shared_memory)};
    // A cut lies between two buckets, up to half of one from where it is wanted, and a rank may have a
    // twentieth more or less than an equal part: so a rank needs some more than twenty buckets.
    const int even = int(std::bit_width(unsigned(ranks))) + 5;
    const int bits = std::min(in_tiles.most_bits,
                              std::max(in_tiles.bits(n, BitRange::all<KeyOf<Element>>()), even));
    const bool has_room = SortReceivedBuckets<Element>::shared_memory(threads, elements, digit_bits) <=
                          device.shared_bytes_per_block;
    return {bits, threads, elements,
            has_room && ranks > 1 && ranks <= ReceivedBuckets<Element>::most_ranks && n > 0 && n >> 32 == 0 &&
                !in_tiles.overflow(n, std::exp2(-bits))};
  }

  int buckets() const { return 1 << bits; }
  /// Elements of the largest bucket that a block sorts.
  u32 capacity() const { return u32(threads) * u32(elements); }
  /// What a rank tells of its buckets: where each begins among its elements, how many elements it has, and
  /// whether its keys are too skewed.
  Index words() const { return PlanBuckets<>::padded_buckets(bits) + 2; }
};

}  // namespace fathom
