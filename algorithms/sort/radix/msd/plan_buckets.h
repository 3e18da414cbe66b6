// SPDX-License-Identifier: Apache-2.0
// Decides if a radix sort may begin with the most significant digit, and where its buckets are.
#pragma once

#include <fathom/algorithms/block/scan.h>
#include <fathom/algorithms/block/store.h>
#include <fathom/algorithms/sort/radix/radix_pass.h>

namespace fathom {

/// Keys that begin with the same `prefix` bits are a bucket. If no bucket is too large for a block, plans two
/// passes that put elements into the order of buckets, by the lower half of the prefix and then by the upper
/// half: the input is an arbitrary order, so two stable passes are as good as one from the highest digit
/// down, and no tile has to find its bucket. One block.
template <class Threads = Number>
struct PlanBuckets {
  static constexpr const char* header = "fathom/algorithms/sort/radix/msd/plan_buckets.h";

  Span<u32> counts;         ///< of every bucket; become zero
  Span<u64> buckets;        ///< where each begins, and n at the end
  Span<u64> starts;         ///< of the bins of the passes
  Span<RadixPass> passes;   ///< those after the second, or the only one, are left out
  Span<u32> latest_parity;  ///< of the last pass before these, in its lowest bit; then of the last of these
  Span<u32> is_skewed;      ///< 1 if a bucket is too large: then all passes are left out
  Digit lower, upper;       ///< of the prefix; `lower` may have no bits: then there is one pass
  u32 capacity;             ///< elements of the largest bucket that a block can sort
  int bins_of_pass;         ///< at most threads_per_block
  Threads threads_per_block;

  static int shared_memory(int bins_of_pass) {
    return shared_bytes<u64>(warp_width) + shared_bytes<u32>(1) + shared_bytes<u32>(bins_of_pass);
  }

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const auto sums = block.template shared<u64>(warp_width);
    const auto largest = block.template shared<u32>(1);
    const auto in_lower = block.template shared<u32>(bins_of_pass);
    const int thread = block.thread(), all = 1 << (lower.count + upper.count);
    if (thread == 0) largest.store(0, 0);
    fill_shared(block, threads_per_block, in_lower, bins_of_pass, 0u);
    block.barrier();

    u64 first = 0;
    FATHOM_NO_UNROLL
    for (int i = thread; i - thread < all; i += threads_per_block) {
      const u32 count = i < all ? counts.load(i) : 0;
      const BlockPrefix<u64> before = thread_prefix_in_block(block, u64(count), sums, Plus{});
      if (i < all) {
        counts.store(i, 0);
        buckets.store(i, first + before.exclusive_prefix);
        largest.atomic_max(0, count);
        in_lower.atomic_add(i & ((1 << lower.count) - 1), count);
      }
      first += before.aggregate;
      block.barrier();
    }
    if (thread == 0) buckets.store(all, first);
    block.barrier();
    const bool skewed = largest.load(0) > capacity;
    if (thread == 0) is_skewed.store(0, skewed);
    plan(block, skewed, in_lower, sums);
  }

 private:
  template <class Block>
  FATHOM_DEVICE
  void plan(Block& block, bool skewed, Shared<u32> in_lower, Shared<u64> sums) const {
    const int thread = block.thread();
    const bool is_lower = thread < 1 << lower.count, is_upper = thread < 1 << upper.count;
    const u64 count = is_lower ? in_lower.load(thread) : 0;
    const u64 start = thread_prefix_in_block(block, count, sums, Plus{}).exclusive_prefix;
    const int two = lower.count > 0;
    if (thread < bins_of_pass) {  // bins beyond the digit are empty, but are looked up like all
      if (two) starts.store(thread, is_lower ? start : 0);
      starts.store(two * bins_of_pass + thread, is_upper ? buckets.load(Index(thread) << lower.count) : 0);
    }
    if (thread > 0) return;
    for (int p = 0; p < int(passes.count); ++p) passes.store(p, {upper, 0, RadixPass::nowhere, 0});
    if (skewed) return;
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
