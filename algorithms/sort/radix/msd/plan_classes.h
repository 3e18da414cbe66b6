// SPDX-License-Identifier: Apache-2.0
// Where the classes of keys are that frequent ones divide the others into.
#pragma once

#include <fathom/algorithms/block/scan.h>
#include <fathom/algorithms/sort/radix/msd/key_classes.h>
#include <fathom/algorithms/sort/radix/msd/skewed_keys.h>
#include <fathom/algorithms/sort/radix/radix_pass.h>

namespace fathom {

/// Plans the pass that puts elements into the order of their keys' classes, if few enough keys are rare.
/// Then those with frequent keys are at their places, and each class of rare keys takes the place of a bucket
/// that is too large for a block: its elements are gathered and sorted by all digits. No other buckets are
/// left. One block.
template <class Key, class Threads = Number>
struct PlanClasses {
  static constexpr const char* header = "fathom/algorithms/sort/radix/msd/plan_classes.h";

  using Frequent = FrequentKeys<Key>;

  Span<u64> counts;          ///< CountClasses; become zero
  Span<const u32> frequent;  ///< FrequentKeys::count
  Span<u64> starts;          ///< of the bins of the pass
  Span<RadixPass> pass;      ///< one, which is left out before
  Span<u32> latest_parity;   ///< of the last pass before this one, in its lowest bit; then of this one
  Span<u32> tiles_taken;     ///< one (SplitByClass); becomes zero
  Span<u32> buckets;         ///< where each of the buckets begins that PlanBuckets found; become empty
  SkewedKeys skewed;
  ClassCosts costs;
  int digits;                 ///< of the keys
  Threads threads_per_block;  ///< at least FrequentKeys::classes + digits

  static int shared_memory() { return shared_bytes<u64>(warp_width); }

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    if (skewed.which.load(0) != SkewedKeys::all || costs.most == 0 || frequent.load(0) == 0) return;
    const auto sums = block.template shared<u64>(warp_width);
    const int own = block.thread();
    const bool is_class = own < Frequent::classes, is_rare = is_class && KeyClasses<Key>::is_rare(own);
    const bool is_digit = !is_class && own < Frequent::classes + digits;
    const u64 count = is_class || is_digit ? counts.load(own) : 0;
    if (is_class || is_digit) counts.store(own, 0);
    const u64 differ = thread_prefix_in_block(block, u64(is_digit && count > 0), sums, Plus{}).aggregate;
    block.barrier();
    const BlockPrefix<u64> before = thread_prefix_in_block(block, is_rare ? count : 0, sums, Plus{});
    if (!costs.pays(Index(before.aggregate), int(differ))) return;
    block.barrier();
    const u64 start = thread_prefix_in_block(block, is_class ? count : 0, sums, Plus{}).exclusive_prefix;
    if (own < int(starts.count)) starts.store(own, start);
    if (is_rare) {
      skewed.gathered_from.store(own / 2, u32(before.exclusive_prefix));
      skewed.bucket_from.store(own / 2, u32(start));
    }
    for (int i = own; i < int(buckets.count); i += threads_per_block) buckets.store(i, 0);
    if (own > 0) return;
    constexpr int rare_classes = Frequent::most + 1;
    skewed.gathered_from.store(rare_classes, u32(before.aggregate));
    skewed.store_counts(rare_classes, u32(before.aggregate));
    skewed.which.store(0, before.aggregate > 0 ? SkewedKeys::some : SkewedKeys::none);
    tiles_taken.store(0, 0);
    const u32 parity = 1 - (latest_parity.load(0) & 1);
    pass.store(0, {{}, RadixPass::input, RadixPass::output, int(parity)});
    latest_parity.store(0, parity);
  }
};

}  // namespace fathom
