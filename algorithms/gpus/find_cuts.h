// SPDX-License-Identifier: Apache-2.0
// Where a rank's sorted elements are cut.
#pragma once

#include <fathom/algorithms/block/digits.h>
#include <fathom/algorithms/gpus/cuts.h>

namespace fathom {

/// begins[i] is where part i of the sorted keys begins; the last element of `begins` is their number. One
/// thread per cut.
template <class Key>
struct FindCuts {
  static constexpr const char* header = "fathom/algorithms/gpus/find_cuts.h";

  Span<const Key> keys;
  Span<const Cut> cuts;  ///< in front of all parts but the first
  Span<Index> begins;    ///< two more
  u64 rank;

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const Index stride = block.blocks() * block.threads();
    for (Index part = block.index() * block.threads() + block.thread(); part < Index(begins.count);
         part += stride) {
      Index begin = 0, end = Index(keys.count);
      if (part == 0) end = 0;
      if (part > Index(cuts.count)) begin = end;
      if (begin < end) {
        const Cut cut = cuts.load(part - 1);
        while (begin < end) {
          const Index middle = begin + (end - begin) / 2;
          if (cut.comes_after(u64(ordered_bits(keys.load(middle))), place_of(rank, middle)))
            begin = middle + 1;
          else
            end = middle;
        }
      }
      begins.store(part, begin);
    }
  }
};

}  // namespace fathom
