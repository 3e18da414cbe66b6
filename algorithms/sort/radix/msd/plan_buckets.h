// SPDX-License-Identifier: Apache-2.0
// Decides if a radix sort may begin with the most significant digit, and where its buckets are.
#pragma once

#include <fathom/algorithms/block/scan.h>
#include <fathom/algorithms/block/store.h>
#include <fathom/algorithms/sort/radix/msd/skewed_keys.h>
#include <fathom/algorithms/sort/radix/radix_pass.h>

namespace fathom {

/// Keys that begin with the same `prefix` bits are a bucket. Plans two passes that put elements into the
/// order of buckets, by the lower half of the prefix and then by the upper half: the input is an arbitrary
/// order, so two passes of which the second keeps the order by the first are as good as one from the highest
/// digit down, and no tile has to find its bucket. Lists the buckets that are too large for a block, if their
/// elements may be gathered; if they may not, leaves out the passes. One block.
template <class Threads = Number>
struct PlanBuckets {
  static constexpr const char* header = "fathom/algorithms/sort/radix/msd/plan_buckets.h";

  Span<u64> counts;         ///< of every bucket (CountPrefixes), padded_buckets() of them; become zero
  Span<u32> buckets;        ///< where each begins, and n at the end
  Span<u64> starts;         ///< of the bins of the passes
  Span<RadixPass> passes;   ///< those after the second, or the only one, are left out
  Span<u32> latest_parity;  ///< of the last pass before these, in its lowest bit; then of the last of these
  SkewedKeys skewed;
  Digit lower, upper;  ///< of the prefix; `lower` may have no bits: then there is one pass
  Index n;
  u32 capacity;         ///< elements of the largest bucket that a block can sort, fewer than 2^16
  Index most_gathered;  ///< elements of large buckets, at most n / 2; if there are more, SkewedKeys::all
  int bins_of_pass;     ///< at most threads_per_block
  Threads threads_per_block;

  static constexpr int of_thread = 8;  ///< buckets, in each round

  /// Those behind the last one are empty.
  FATHOM_DEVICE
  static constexpr int padded_buckets(int bits) { return max(1 << bits, of_thread); }
  /// It is launched alone.
  static constexpr int least_resident_blocks() { return 1; }
  static int shared_memory(int bins_of_pass) {
    return shared_bytes<u64>(warp_width) + shared_bytes<u32>(1) + shared_bytes<u32>(place(bins_of_pass));
  }

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const auto sums = block.template shared<u64>(warp_width);
    const auto largest = block.template shared<u32>(1);
    const auto in_lower = block.template shared<u32>(place(bins_of_pass));
    const int thread = block.thread(), all = padded_buckets(lower.count + upper.count);
    if (thread == 0) largest.store(0, 0);
    fill_shared(block, threads_per_block, in_lower, place(bins_of_pass), 0u);

    u64 sum = 0;
    u32 most = 0;
    // A round has a multiple of 2^lower.count buckets, so that a thread has the same lower digits in each.
    Registers<u32, Constant<of_thread>> in_lower_of_thread(Constant<of_thread>{});
    FATHOM_UNROLL
    for (int i = 0; i < of_thread; ++i) in_lower_of_thread[i] = 0;
    FATHOM_NO_UNROLL
    for (int round = 0; round < all; round += threads_per_block * of_thread) {
      const int first = round + thread * of_thread;
      Registers<u32, Constant<of_thread>> count(Constant<of_thread>{});
      u64 of_these = 0;
      if (first < all) of_these = take_counts(first, count);
      const BlockPrefix<u64> before = thread_prefix_in_block(block, of_these, sums, Plus{});
      if (first < all) {
        store_buckets(first, u32(sum + before.exclusive_prefix), count);
        FATHOM_UNROLL
        for (int i = 0; i < of_thread; ++i) {
          most = max(most, count[i]);
          in_lower_of_thread[i] += count[i];
        }
      }
      sum += before.aggregate;
      block.barrier();
    }
    if (thread * of_thread < all) {
      FATHOM_UNROLL
      for (int i = 0; i < of_thread; ++i)
        in_lower.atomic_add(place((thread * of_thread + i) & ((1 << lower.count) - 1)),
                            in_lower_of_thread[i]);
    }
    most = block.reduce_max(most);
    if (block.lane() == 0) largest.atomic_max(0, most);
    if (thread == 0) buckets.store(all, u32(sum));
    block.barrier();
    u32 which = SkewedKeys::none;
    if (sum != u64(n))
      which = SkewedKeys::all;
    else if (largest.load(0) > capacity)
      which = n >> 32 == 0 && largest.load(0) <= most_gathered ? list_large_buckets(block, all, sums)
                                                               : SkewedKeys::all;
    if (thread == 0) skewed.which.store(0, which);
    plan(block, which == SkewedKeys::all, in_lower, sums);
  }

 private:
  /// Returns SkewedKeys::some, or SkewedKeys::all if they have too many elements.
  template <class Block>
  FATHOM_DEVICE
  u32 list_large_buckets(Block& block, int all, Shared<u64> sums) const {
    // The number of large buckets is in the upper half of a word, that of their elements in the lower one.
    const auto if_large = [&](int bucket) {
      const u32 count = buckets.load(bucket + 1) - buckets.load(bucket);
      return count > capacity ? u64(1) << 32 | count : 0;
    };
    u64 before = 0;
    FATHOM_NO_UNROLL
    for (int round = 0; round < all; round += threads_per_block * of_thread) {
      const int first = round + block.thread() * of_thread, end = min(first + of_thread, all);
      u64 of_these = 0;
      FATHOM_NO_UNROLL
      for (int bucket = first; bucket < end; ++bucket) of_these += if_large(bucket);
      const BlockPrefix<u64> prefix = thread_prefix_in_block(block, of_these, sums, Plus{});
      u64 ahead = before + prefix.exclusive_prefix;
      FATHOM_NO_UNROLL
      for (int bucket = first; bucket < end && of_these > 0; ++bucket) {
        const u64 here = if_large(bucket);
        if (here == 0) continue;
        skewed.gathered_from.store(Index(ahead >> 32), u32(ahead));
        skewed.bucket_from.store(Index(ahead >> 32), buckets.load(bucket));
        ahead += here;
      }
      before += prefix.aggregate;
      block.barrier();
    }
    if (block.thread() == 0) {
      skewed.gathered_from.store(Index(before >> 32), u32(before));
      skewed.store_counts(u32(before >> 32), u32(before));
    }
    return Index(u32(before)) <= most_gathered ? SkewedKeys::some : SkewedKeys::all;
  }
  /// Where a bin of the lower digit has its count in shared memory: at each step the lanes of a warp access
  /// every of_thread-th bin, and this puts those in different banks.
  FATHOM_DEVICE
  static constexpr int place(int bin) { return bin + bin / of_thread; }

  /// Returns the sum of the counts of the buckets from `first` on, which become zero.
  FATHOM_DEVICE
  u64 take_counts(int first, Registers<u32, Constant<of_thread>>& count) const {
    u64 sum = 0;
    FATHOM_UNROLL
    for (int i = 0; i < of_thread; i += 4) {
      const Vector<u64, 2> pairs = counts.template load_vector<2>((first + i) / 2);
      counts.template store_vector<2>((first + i) / 2, {});
      FATHOM_UNROLL
      for (int j = 0; j < 4; ++j) {
        count[i + j] = u32(pairs.element[j / 2] >> (j % 2 * 32));
        sum += count[i + j];
      }
    }
    return sum;
  }
  FATHOM_DEVICE
  void store_buckets(int first, u32 start, const Registers<u32, Constant<of_thread>>& count) const {
    FATHOM_UNROLL
    for (int i = 0; i < of_thread; i += 4) {
      Vector<u32, 4> starts_of_four;
      FATHOM_UNROLL
      for (int j = 0; j < 4; ++j) {
        starts_of_four.element[j] = start;
        start += count[i + j];
      }
      buckets.template store_vector<4>(first + i, starts_of_four);
    }
  }
  template <class Block>
  FATHOM_DEVICE
  void plan(Block& block, bool all_by_digits, Shared<u32> in_lower, Shared<u64> sums) const {
    const int thread = block.thread();
    const bool is_lower = thread < 1 << lower.count, is_upper = thread < 1 << upper.count;
    const u64 count = is_lower ? in_lower.load(place(thread)) : 0;
    const u64 start = thread_prefix_in_block(block, count, sums, Plus{}).exclusive_prefix;
    const int two = lower.count > 0;
    if (thread < bins_of_pass) {  // bins beyond the digit are empty, but are looked up like all
      if (two) starts.store(thread, is_lower ? start : 0);
      starts.store(two * bins_of_pass + thread, is_upper ? buckets.load(Index(thread) << lower.count) : 0);
    }
    if (thread > 0) return;
    for (int p = 0; p < int(passes.count); ++p) passes.store(p, {upper, 0, RadixPass::nowhere, 0});
    if (all_by_digits) return;
    const int latest = int(latest_parity.load(0)) & 1, first = 1 - latest;
    if (two) {
      passes.store(0, {lower, RadixPass::input, RadixPass::other, first});
      passes.store(1, {upper, RadixPass::other, RadixPass::output, 1 - first});
    } else {
      passes.store(0, {upper, RadixPass::input, RadixPass::output, first});
    }
    latest_parity.store(0, u32(two ? 1 - first : first));
  }
};

}  // namespace fathom
