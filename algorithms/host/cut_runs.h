// SPDX-License-Identifier: Apache-2.0
// Where sorted runs in host memory are cut, so that a part of their merge has a certain size.
#pragma once

#include <fathom/algorithms/block/digits.h>

#include <algorithm>
#include <span>
#include <vector>

namespace fathom {

/// The first `rank` elements of the stable merge of the runs are the first cuts[k] of each run k; `rank` is
/// at most the number of all elements. The runs are in the order of their keys' bits.
///
/// The bits of the key at the cut are found from the highest to the lowest. Each says which half of what is
/// left of every run lies before the cut, so that after the first bits few elements are read, and those are
/// near to each other.
template <class Key>
std::vector<Index> cut_runs(const std::vector<std::span<const Key>>& runs, Index rank) {
  using Bits = BitsOf<Key>;
  std::vector<Index> before(runs.size(), 0), up_to, middle(runs.size());  // of keys less than, or equal
  for (const auto& run : runs) up_to.push_back(Index(run.size()));
  Bits at_cut = 0;
  for (int bit = key_bits<Key> - 1; bit >= 0; --bit) {
    const Bits candidate = at_cut | Bits(1) << bit;
    Index count = 0;
    for (std::size_t k = 0; k < runs.size(); ++k) {
      const auto left = runs[k].subspan(std::size_t(before[k]), std::size_t(up_to[k] - before[k]));
      const auto found = std::ranges::lower_bound(left, candidate, {},
                                                  [](const Key& key) { return Bits(ordered_bits(key)); });
      middle[k] = before[k] + Index(found - left.begin());
      count += middle[k];
    }
    if (count <= rank) {
      at_cut = candidate;
      before = middle;
    } else {
      up_to = middle;
    }
  }
  // Equal keys come from the earlier run first.
  Index missing = rank;
  for (const Index each : before) missing -= each;
  for (std::size_t k = 0; k < runs.size(); ++k) {
    const Index more = std::min(missing, up_to[k] - before[k]);
    before[k] += more;
    missing -= more;
  }
  return before;
}

}  // namespace fathom
