// SPDX-License-Identifier: Apache-2.0
// Checks of a segmented sort that know where lists begin.
#pragma once

#include <fathom/algorithms/block/first_without.h>
#include <fathom/algorithms/check/digest_keys.h>

namespace fathom {

/// The list of element i. `begins` are ascending, from 0, with the end of the last list behind them.
FATHOM_DEVICE
Index list_of(const Span<const Index>& begins, Index i) {
  return first_without(Index(0), Index(begins.count), [&](Index list) { return begins.load(list) <= i; }) - 1;
}

/// DigestKeys of many lists: the order is that within lists, and a key's digest depends on its list. So two
/// arrays have the same digest if each list has the same keys.
template <class Key, class LessThan>
struct DigestLists {
  static constexpr const char* header = "fathom/algorithms/check/check_lists.h";

  Span<const Key> keys;
  Span<const Index> begins;
  Span<u64> digest;  ///< a KeyDigest, zeroed

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const Index n = Index(keys.count);
    const Index stride = block.blocks() * block.threads();
    u64 out_of_order = 0, nans = 0, sum = 0, other_sum = 0;
    for (Index i = block.index() * block.threads() + block.thread(); i < n; i += stride) {
      const Key key = keys.load(i);
      const Index list = list_of(begins, i);
      if (i > begins.load(list) && LessThan{}(key, keys.load(i - 1))) ++out_of_order;
      if (is_nan(key)) ++nans;
      sum += digest_of(key, scatter(digest_seed ^ u64(list)));
      other_sum += digest_of(key, scatter(other_digest_seed ^ u64(list)));
    }
    block.atomic_add(digest, 0, out_of_order);
    block.atomic_add(digest, 1, nans);
    block.atomic_add(digest, 2, sum);
    block.atomic_add(digest, 3, other_sum);
  }
};

/// Counts values that are not of their list in the input, where value i is i (modulo 2^32 if it has 32 bits).
template <class Value>
struct CountStrayedValues {
  static constexpr const char* header = "fathom/algorithms/check/check_lists.h";

  Span<const Value> values;
  Span<const Index> begins;
  Span<u64> strayed;  ///< one, zeroed

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const Index n = Index(values.count);
    const Index stride = block.blocks() * block.threads();
    u64 found = 0;
    for (Index i = block.index() * block.threads() + block.thread(); i < n; i += stride) {
      const Index list = list_of(begins, i), begin = begins.load(list);
      if (u64(Value(values.load(i) - Value(begin))) >= u64(begins.load(list + 1) - begin)) ++found;
    }
    block.atomic_add(strayed, 0, found);
  }
};

}  // namespace fathom
