// SPDX-License-Identifier: Apache-2.0
// Where the buckets of all ranks' elements are cut into parts.
#pragma once

#include <fathom/algorithms/block/digits.h>
#include <fathom/algorithms/block/first_without.h>
#include <fathom/algorithms/sort/radix/msd/skewed_keys.h>
#include <fathom/algorithms/sort/radix/radix_pass.h>

namespace fathom {

/// Puts each cut between the two buckets where the parts come nearest to equal ones. Every rank does so for
/// itself, and all come to the same. If keys are too skewed, since a bucket has more elements than a block
/// sorts, or a rank a twentieth more or less than an equal part, all refuse, and leave out the passes that
/// would put the elements in the order of buckets. One block.
template <class Threads = Number>
struct CutBuckets {
  static constexpr const char* header = "fathom/algorithms/gpus/prefix/cut_buckets.h";

  /// Each rank's words say where each bucket begins among its elements, how many these are, and
  /// SkewedKeys::Which.
  Span<const u32> begins;
  Index words_of_rank;  ///< in `begins`: two more than there are buckets
  /// The first number says whether all refuse. Then come the first bucket of each part, and the end of the
  /// last that has elements; then, for each rank, where each part begins among its elements, and how many
  /// these are.
  Span<Index> cut;
  Span<RadixPass> passes;  ///< two, or none
  Index n;                 ///< elements of all ranks, at least one and fewer than 2^32
  u32 capacity;            ///< elements of the largest bucket that a block can sort
  int buckets;
  int ranks;
  int pieces;  ///< of a rank, each a part
  Threads threads_per_block;

  static int shared_memory() { return shared_bytes<u32>(1); }
  static constexpr int least_resident_blocks() { return 1; }  ///< it is launched alone

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const auto largest = block.template shared<u32>(1);
    if (block.thread() == 0) largest.store(0, 0);
    block.barrier();
    u32 most = 0;
    constexpr int in_flight = 8;
    FATHOM_NO_UNROLL
    for (int first = block.thread(); first < buckets; first += in_flight * threads_per_block) {
      FATHOM_UNROLL
      for (int i = 0; i < in_flight; ++i) {
        const int bucket = first + i * threads_per_block;
        if (bucket < buckets) most = max(most, elements_before(bucket + 1) - elements_before(bucket));
      }
    }
    const int parts = ranks * pieces;
    for (int part = block.thread(); part <= parts; part += threads_per_block)
      if (!cut_before(part, parts)) most = too_many;
    for (int rank = block.thread(); rank < ranks; rank += threads_per_block)
      if (word(rank, int(words_of_rank) - 1) != SkewedKeys::none) most = too_many;
    most = block.reduce_max(most);
    if (block.lane() == 0) largest.atomic_max(0, most);
    block.barrier();
    if (block.thread() > 0) return;
    const bool refuses = largest.load(0) > capacity;
    cut.store(0, refuses);
    // Two are as good as none for the states of tiles, which alternate (DigitStates).
    for (int p = 0; refuses && p < int(passes.count); ++p)
      passes.store(p, {{0, 1}, 0, RadixPass::nowhere, 0});
  }

 private:
  static constexpr u32 too_many = ~u32(0);

  FATHOM_DEVICE
  u32 word(int rank, int i) const { return begins.load(rank * words_of_rank + i); }
  /// Returns how many elements all ranks have in the buckets before this one.
  FATHOM_DEVICE
  u32 elements_before(int bucket) const {
    u32 sum = 0;
    for (int rank = 0; rank < ranks; ++rank) sum += word(rank, bucket);
    return sum;
  }

  /// Returns whether no rank's part becomes too large or too small by it.
  FATHOM_DEVICE
  bool cut_before(int part, int parts) const {
    const Index wanted = n * part / parts;
    int bucket = first_without(0, buckets, [&](int b) { return Index(elements_before(b)) < wanted; });
    const auto off = [&](int b) {
      const Index here = Index(elements_before(b));
      return here < wanted ? wanted - here : here - wanted;
    };
    if (bucket > 0 && off(bucket - 1) < off(bucket)) --bucket;
    cut.store(1 + part, bucket);
    for (int rank = 0; rank < ranks; ++rank)
      cut.store(2 + parts + Index(rank) * (parts + 1) + part, Index(word(rank, bucket)));
    return part % pieces != 0 || off(bucket) * 40 * ranks <= n;
  }
};

}  // namespace fathom
