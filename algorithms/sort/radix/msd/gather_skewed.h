// SPDX-License-Identifier: Apache-2.0
// The list of the keys that a radix sort from the most significant digit sorts by all digits, and their
// histograms.
#pragma once

#include <fathom/algorithms/block/records.h>
#include <fathom/algorithms/sort/radix/msd/skewed_keys.h>
#include <fathom/algorithms/sort/radix/onesweep/digit_histograms.h>

namespace fathom {

/// DigitHistograms of the keys that are sorted by all digits. If these are only some, copies their elements
/// from the list in which they are in buckets into one of their own, in the same order.
template <class Element, class Threads = Number, class Bits = Number, class Digits = Number>
struct GatherSkewed : DigitHistograms<KeyOf<Element>, Threads, Bits, Digits> {
  using Key = KeyOf<Element>;
  static constexpr const char* header = "fathom/algorithms/sort/radix/msd/gather_skewed.h";

  SkewedKeys skewed;
  ConstListOf<Element> in_buckets;
  ListOf<Element> gathered;

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const u32 which = this->is_wanted.load(0);
    if (which == SkewedKeys::none) return;
    const auto counted = this->make_counters(block);
    if (which == SkewedKeys::all)
      this->count_all(block, counted);
    else
      gather(block, counted);
    this->add_to_counts(block, counted);
  }

 private:
  /// Each block does an equal share.
  template <class Block>
  FATHOM_DEVICE
  void gather(Block& block, Shared<u32> counted) const {
    const auto own = this->own_copies(block, counted);
    const Index elements = skewed.elements(), share = ceil_div(elements, block.blocks());
    const Index begin = block.index() * share;
    skewed.for_each(block, this->threads_per_block, begin, min(begin + share, elements),
                    [&](Index i, Index at) {
                      const Key key = keys_of(in_buckets).load(at);
                      keys_of(gathered).store(i, key);
                      if constexpr (has_values<Element>) gathered.values.store(i, in_buckets.values.load(at));
                      this->count(key, own);
                    });
  }
};

}  // namespace fathom
