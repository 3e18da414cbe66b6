// Is it sorted, and are these the same keys? In one pass over any number of keys.
#pragma once

#include <fathom/algorithms/check/fill_input.h>

namespace fathom {

/// What DigestKeys adds up. Two multisets of keys are the same exactly when both sums are, but for a chance
/// of 2^-128.
struct KeyDigest {
  u64 out_of_order;  ///< positions whose key is less than the one before
  u64 sum, other_sum;

  bool same_keys(const KeyDigest& other) const { return sum == other.sum && other_sum == other.other_sum; }
};

template <class Key, class LessThan>
struct DigestKeys {
  Span<const Key> keys;
  Span<u64> digest;  ///< a KeyDigest, zeroed

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const Index n = Index(keys.count);
    const Index stride = block.blocks() * block.threads();
    u64 out_of_order = 0, sum = 0, other_sum = 0;
    for (Index i = block.index() * block.threads() + block.thread(); i < n; i += stride) {
      const Key key = keys.load(i);
      if (i > 0 && LessThan{}(key, keys.load(i - 1))) ++out_of_order;
      const u64 scattered = scatter(u64(key));
      sum += scattered;
      other_sum += scatter(scattered ^ 0x5851f42d4c957f2dull);
    }
    block.atomic_add(digest, 0, out_of_order);
    block.atomic_add(digest, 1, sum);
    block.atomic_add(digest, 2, other_sum);
  }
};

}  // namespace fathom
