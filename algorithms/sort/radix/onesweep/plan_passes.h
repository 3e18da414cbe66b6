// SPDX-License-Identifier: Apache-2.0
// Between the histograms and the passes of a radix sort: where each digit's bins begin, and which digits
// matter.
#pragma once

#include <fathom/algorithms/block/scan.h>
#include <fathom/algorithms/sort/radix/radix_pass.h>

namespace fathom {

/// Plans the passes over the digits of a range, from the lowest: a digit in which all keys agree needs none.
/// The last pass ends in the output, and there is at least one. One block, of 2^bits threads at least.
template <class Threads = Number, class Bits = Number>
struct PlanPasses {
  static constexpr const char* header = "fathom/algorithms/sort/radix/onesweep/plan_passes.h";

  Span<u64> histograms;       ///< of all digits: [p·2^bits + b]; become zero
  Span<u64> starts;           ///< of each bin in the order of its digit
  Span<RadixPass> passes;     ///< one per digit
  Span<u32> latest_parity;    ///< of the last pass before these, in its lowest bit; then of the last of these
  Span<u32> tiles_taken;      ///< per digit (SplitIfSkewed), or empty; become zero
  Span<const u32> is_wanted;  ///< nothing is done if it is 0
  BitRange range;
  Index n;
  Threads threads_per_block;
  Bits bits;

  static int shared_memory(int digits) { return shared_bytes<u64>(warp_width) + shared_bytes<u32>(digits); }

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    if (is_wanted.load(0) == 0) return;
    plan(block, n, false);
  }

 protected:
  /// `even`: for `elements` elements, by an even number of passes or none, which leave the output where the
  /// input is; the range has an even number of digits.
  template <class Block>
  FATHOM_DEVICE
  void plan(Block& block, Index elements, bool even) const {
    const int digits = range.digits(bits), bin = block.thread();
    const auto sums = block.template shared<u64>(warp_width);
    const auto is_needed = block.template shared<u32>(digits);
    for (int p = 0; p < digits; ++p) {
      const Index at = (Index(p) << bits) + bin;
      const bool has_bin = bin < 1 << bits;
      const u64 count = has_bin ? histograms.load(at) : 0;
      if (bin == 0) is_needed.store(p, 1);
      const u64 start = thread_prefix_in_block(block, count, sums, Plus{}).exclusive_prefix;  // a barrier
      if (count == u64(elements)) is_needed.store(p, 0);
      if (has_bin) {
        histograms.store(at, 0);
        starts.store(at, start);
      }
      block.barrier();
    }
    if (bin < int(tiles_taken.count)) tiles_taken.store(bin, 0);
    if (bin == 0) plan(digits, is_needed, even);
  }

 private:
  FATHOM_DEVICE
  void plan(int digits, Shared<u32> is_needed, bool even) const {
    int left = 0;
    for (int p = 0; p < digits; ++p) left += int(is_needed.load(p));
    if (even && left % 2 != 0) {
      ++left;
      int p = 0;  // of the first digit that is not needed: there is one, since the digits are even
      while (is_needed.load(p) != 0) ++p;
      is_needed.store(p, 1);
    }
    u32 parity = latest_parity.load(0) & 1;
    int from = RadixPass::input;
    for (int p = 0; p < digits; ++p) {
      const bool is_only = !even && left == 0 && p == digits - 1 && from == RadixPass::input;
      RadixPass pass{range.digit(p, bits), from, RadixPass::nowhere, 0};
      if (is_needed.load(p) != 0 || is_only) {
        left -= is_only ? 0 : 1;
        parity = 1 - parity;
        from = pass.to = left % 2 == 0 ? RadixPass::output : RadixPass::other;
        pass.parity = int(parity);
      }
      passes.store(p, pass);
    }
    latest_parity.store(0, parity);
  }
};

}  // namespace fathom
