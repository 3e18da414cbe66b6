// SPDX-License-Identifier: Apache-2.0
// Where a sorted run is cut.
#pragma once

#include <fathom/algorithms/block/digits.h>
#include <fathom/algorithms/gpus/cuts.h>

namespace fathom {

/// begins[i] is where part i of a sorted run begins; the last element of `begins` is the number of keys. One
/// thread per cut.
template <class Key>
struct FindCuts {
  static constexpr const char* header = "fathom/algorithms/gpus/find_cuts.h";

  Span<const Key> keys;
  Span<const RunCut> cuts;  ///< in front of all parts but the first
  Span<Index> begins;       ///< two more
  u64 run;

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const Index stride = block.blocks() * block.threads();
    for (Index part = block.index() * block.threads() + block.thread(); part < Index(begins.count);
         part += stride) {
      Index begin = 0;
      if (part > Index(cuts.count))
        begin = Index(keys.count);
      else if (part > 0)
        begin = begin_at(cuts.load(part - 1));
      begins.store(part, begin);
    }
  }

 private:
  FATHOM_DEVICE
  Index begin_at(const RunCut& cut) const {
    if (run < cut.run) return first_above(cut.bits, true);
    const Index first = first_above(cut.bits, false);
    if (run > cut.run) return first;
    return first + Index(u64(first_above(cut.bits, true) - first) * cut.before / cut.of);
  }

  /// The first key whose bits are larger, or that has these bits, unless equal ones are passed over.
  FATHOM_DEVICE
  Index first_above(u64 bits, bool passing_equal) const {
    Index begin = 0, end = Index(keys.count);
    while (begin < end) {
      const Index middle = begin + (end - begin) / 2;
      const u64 other = u64(ordered_bits(keys.load(middle)));
      if (other < bits || (passing_equal && other == bits))
        begin = middle + 1;
      else
        end = middle;
    }
    return begin;
  }
};

}  // namespace fathom
