// SPDX-License-Identifier: Apache-2.0
// Single-pass radix sort on the device: one pass over memory per digit, and one for the histograms of all.
#pragma once

#include <fathom/algorithms/sort/device_list.h>
#include <fathom/algorithms/sort/radix/onesweep/digit_histograms.h>
#include <fathom/algorithms/sort/radix/onesweep/digit_splits.h>
#include <fathom/algorithms/sort/radix/onesweep/plan_passes.h>
#include <fathom/algorithms/sort/radix/passes_left_out.h>

namespace fathom {

/// The kernels and work space for sorting up to n elements, keys or records, stably, by a range of bits of
/// their keys, in digits of at most `bits` bits, 8 at most.
template <class Element>
class RadixOnesweep {
  using Key = KeyOf<Element>;
  using Histograms = DigitHistograms<Key>;
  using Plans = PlanPasses<>;

 public:
  /// `threads` is a multiple of the warp's width and at least 2^bits. Throws std::invalid_argument otherwise.
  RadixOnesweep(Executor& executor, Index n, int bits, int threads, int elements,
                BitRange range = BitRange::all<Key>())
      : RadixOnesweep(executor, n, bits, threads, elements, 0, range) {}
  /// The same; `shared_bits`: Problem::shared_bits, for the names of the launches alone.
  RadixOnesweep(Executor& executor, Index n, int bits, int threads, int elements, u64 shared_bits,
                BitRange range = BitRange::all<Key>())
      : n_(n),
        bits_(bits),
        left_out_{range, bits, shared_bits},
        range_(range),
        plan_(executor, plan(n, bits, threads, elements, shared_bits, range, executor.plan_device())),
        splits_(executor, n, bits, threads, elements, range.digits(bits)),
        other_(executor, std::size_t(n)),
        histograms_(executor, std::size_t(range.digits(bits)) << bits),
        always_(executor, 1) {
    executor.fill(always_.data(), 1, always_.bytes());
    executor.fill(histograms_.data(), 0, histograms_.bytes());
  }

  /// The histograms of all digits, what follows from them, and the pass over each digit, the first in a
  /// launch of its own if it needs no order. Passes that are left out come ahead of the others, wherever in
  /// the run they are, since what a run leaves in the L2 is what the others touched.
  static Plan plan(Index n, int bits, int threads, int elements, u64 shared_bits, BitRange range,
                   const PlanDevice& device) {
    const int digits = range.digits(bits);
    const Launch histograms = with_resident_blocks(
        launch_of<Histograms>(n, 1, {threads_of_histograms, Histograms::shared_memory(bits, digits)},
                              {threads_of_histograms, bits, digits}),
        n, Index(threads_of_histograms) * Histograms::in_flight, device);
    const Launch plans =
        launch_of<Plans>(n, 1, {threads_of_plans, Plans::shared_memory(digits)}, {threads_of_plans, bits});
    const PassesLeftOut passes{range, bits, shared_bits};
    const int left_out = passes.count(), first = first_is_apart(passes) ? 1 : 0;
    Plan plan{histograms, plans};
    if (left_out > 0) {
      plan.push_back(DigitSplits<Element>::launch_later(n, bits, threads, elements, left_out, range));
      plan.back().kernel = &variant_of(*plan.back().kernel, 0);
    }
    if (first > 0) plan.push_back(DigitSplits<Element>::launch_first(n, bits, threads, elements, range));
    if (const int others = digits - left_out - first; others > 0)
      plan.push_back(DigitSplits<Element>::launch_later(n, bits, threads, elements, others, range));
    return plan;
  }

  /// Queues the sort of `input` into `output`; both have n elements and do not overlap.
  void run(ConstListOf<Element> input, ListOf<Element> output) {
    if (n_ == 0) return;
    const int digits = range_.digits(bits_);
    plan_.launch(0, Histograms{keys_of(input), histograms_.span(), always(), range_, n_,
                               threads_of_histograms, bits_, digits});
    plan_.launch(1, Plans{histograms_.span(),
                          splits_.starts(),
                          splits_.passes(),
                          splits_.latest_parity(),
                          {},
                          always(),
                          range_,
                          n_,
                          threads_of_plans,
                          bits_});
    const RadixLists<Element> lists{input, output, other_.list()};
    const bool apart = first_is_apart(left_out_);
    if (apart) splits_.run_first(plan_, left_out_.count() > 0 ? 3 : 2, lists, range_);
    for (int p = apart ? 1 : 0; p < digits; ++p)
      splits_.run_later(plan_, left_out_.contains(p) ? 2 : plan_.size() - 1, lists, p, range_, range_.begin);
  }

  std::vector<KernelResources> kernels() const { return plan_.resources(); }

 private:
  /// Returns whether the first pass has a launch of its own: not if it is left out, as all those share one.
  static bool first_is_apart(const PassesLeftOut& passes) {
    return DigitSplits<Element>::only_keys_matter(passes.range) && !passes.contains(0);
  }
  Span<const u32> always() const { return {always_.data(), 1}; }

  static constexpr int threads_of_histograms = 512, threads_of_plans = 256;

  Index n_;
  int bits_;
  PassesLeftOut left_out_;
  BitRange range_;
  PreparedPlan plan_;
  DigitSplits<Element> splits_;
  DeviceList<Element> other_;  // passes alternate between this and the output
  DeviceArray<u64> histograms_;
  DeviceArray<u32> always_;  // not 0
};

}  // namespace fathom
