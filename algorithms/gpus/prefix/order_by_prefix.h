// SPDX-License-Identifier: Apache-2.0
// Puts a rank's elements in the order of the first bits of their keys.
#pragma once

#include <fathom/algorithms/gpus/prefix/cut_buckets.h>
#include <fathom/algorithms/gpus/prefix/prefix_division.h>
#include <fathom/algorithms/sort/device_list.h>
#include <fathom/device/prepared_plan.h>

namespace fathom {

/// The kernels and work space to put n elements of a rank, which may be 0, in the order of buckets, records
/// stably, as radix-msd does; and to find the cuts before that, for which all ranks must know each other's
/// buckets.
template <class Element>
class OrderByPrefix {
  using Key = KeyOf<Element>;
  using Shape = PrefixShape;
  using Buckets = PlanBuckets<>;

 public:
  OrderByPrefix(Executor& executor, Index n, PrefixDivision division)
      : n_(n),
        division_(division),
        plan_(executor, plan(n, division, executor.plan_device())),
        splits_(executor, n, Shape::digit_bits, Shape::threads_of_splits,
                PrefixDivision::split_elements<Element>(executor.plan_device()), Shape::passes),
        other_(executor, std::size_t(n)),
        counts_(executor, std::size_t(Buckets::padded_buckets(division.bits) / 2)),
        own_buckets_(executor, std::size_t(division.words())),
        no_skewed_(executor, 3) {
    executor.fill(counts_.data(), 0, counts_.bytes());
    executor.fill(own_buckets_.data(), 0, own_buckets_.bytes());  // without elements, no kernel writes them
  }

  /// The prefixes and their buckets, the cuts, and the two passes.
  static Plan plan(Index n, PrefixDivision division, const PlanDevice& device) {
    Plan plan = plan_of_prefixes<Element>(n, division.bits, PrefixDivision::split_elements<Element>(device),
                                          true, all_bits, device);
    constexpr int threads = Shape::threads_of_counts;
    plan.insert(
        plan.begin() + 2,
        launch_of<CutBuckets<>>(division.buckets(), 1, {threads, CutBuckets<>::shared_memory()}, {threads}));
    return plan;
  }

  /// Queues the search for this rank's buckets.
  void find_buckets(Span<const Key> keys) {
    if (n_ == 0) return;
    const Digit prefix{all_bits.end - division_.bits, division_.bits};
    const int lower = division_.bits / 2;
    plan_.launch(
        0, CountPrefixes<Key>{keys, counts_.span(), prefix, n_, Shape::threads_of_counts, division_.bits});
    const u64 words = own_buckets_.size();
    const SkewedKeys skewed{{own_buckets_.data() + words - 1, 1},
                            {no_skewed_.data(), 2},
                            {no_skewed_.data() + 2, 1},
                            {no_skewed_.data() + 2, 1}};
    plan_.launch(1, Buckets{counts_.span(),
                            {own_buckets_.data(), words - 1},
                            splits_.starts(),
                            splits_.passes(),
                            splits_.latest_parity(),
                            skewed,
                            {prefix.first, lower},
                            {prefix.first + lower, division_.bits - lower},
                            n_,
                            u32(division_.shape.tile()),
                            0,
                            1 << Shape::digit_bits,
                            Shape::threads_of_counts});
  }
  /// PrefixDivision::words() of them.
  Span<const u32> own_buckets() const { return read_only(own_buckets_.span()); }

  /// Queues the cuts (CutBuckets::cut). `buckets` are those of all ranks, which have `n_of_all` elements;
  /// the largest may have so many as `capacity`.
  void cut(Span<const u32> buckets, Index n_of_all, int ranks, int pieces, Index capacity, Span<Index> cut) {
    plan_.launch(
        2,
        CutBuckets<>{buckets, division_.words(), cut, n_ > 0 ? splits_.passes() : Span<RadixPass>{nullptr, 0},
                     n_of_all, u32(capacity), division_.buckets(), ranks, pieces, Shape::threads_of_counts});
  }
  /// Queues the passes, unless keys are too skewed.
  void run(ConstListOf<Element> input, ListOf<Element> output) {
    if (n_ == 0) return;
    const RadixLists<Element> lists{input, output, other_.list()};
    splits_.run_first(plan_, 3, lists, all_bits);
    splits_.run_later(plan_, 4, lists, 1, all_bits, key_bits<Key> - division_.bits);
  }

 private:
  static constexpr BitRange all_bits = BitRange::all<Key>();

  Index n_;
  PrefixDivision division_;
  PreparedPlan plan_;
  DigitSplits<Element> splits_;
  DeviceList<Element> other_;
  DeviceArray<u64> counts_;
  DeviceArray<u32> own_buckets_;
  DeviceArray<u32> no_skewed_;  // none are gathered
};

}  // namespace fathom
