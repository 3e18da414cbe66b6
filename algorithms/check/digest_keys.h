// SPDX-License-Identifier: Apache-2.0
// Checks the order of keys and digests their multiset, in one pass over any number of keys.
#pragma once

#include <fathom/algorithms/check/pattern.h>

namespace fathom {

/// What DigestKeys adds up. Two multisets of keys are the same, bit by bit, if and only if both sums are,
/// except with probability 2^-128.
struct KeyDigest {
  u64 out_of_order;  ///< positions whose key is less than the one before
  u64 nans;          ///< keys that have no place in the order
  u64 sum, other_sum;

  bool same_keys(const KeyDigest& other) const { return sum == other.sum && other_sum == other.other_sum; }
};

template <int count>
struct WordsOf {
  u32 word[count];
};
/// The bits of a trivially copyable key without padding.
template <class Key>
FATHOM_DEVICE
constexpr auto words_of(const Key& key) {
  static_assert(sizeof(Key) % 4 == 0, "a key must consist of whole 32-bit words");
  return __builtin_bit_cast(WordsOf<int(sizeof(Key) / 4)>, key);
}

template <class Key>
FATHOM_DEVICE
constexpr bool same_bits(const Key& a, const Key& b) {
  const auto words_of_a = words_of(a), words_of_b = words_of(b);
  bool same = true;
  FATHOM_UNROLL
  for (int i = 0; i < int(sizeof(Key) / 4); ++i) same = same && words_of_a.word[i] == words_of_b.word[i];
  return same;
}

/// Keys of one or two words never share a digest.
template <class Key>
FATHOM_DEVICE
constexpr u64 digest_of(const Key& key, u64 seed) {
  constexpr int count = int(sizeof(Key) / 4);
  const auto words = words_of(key);
  u64 digest = seed;
  FATHOM_UNROLL
  for (int i = 0; i < count; i += 2) {
    const u64 high = i + 1 < count ? words.word[min(i + 1, count - 1)] : 0;
    digest = scatter(digest ^ (high << 32 | words.word[i]));
  }
  return digest;
}
inline constexpr u64 digest_seed = 0, other_digest_seed = 0x5851f42d4c957f2dull;

/// Only a NaN differs from itself.
template <class Key>
FATHOM_DEVICE
constexpr bool is_nan(const Key& key) {
  const Key& itself = key;
  if constexpr (requires { key == itself; })
    return !(key == itself);
  else
    return false;
}

template <class Key, class LessThan>
struct DigestKeys {
  static constexpr const char* header = "fathom/algorithms/check/digest_keys.h";

  Span<const Key> keys;
  Span<u64> digest;  ///< a KeyDigest, zeroed

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const Index n = Index(keys.count);
    const Index stride = block.blocks() * block.threads();
    u64 out_of_order = 0, nans = 0, sum = 0, other_sum = 0;
    for (Index i = block.index() * block.threads() + block.thread(); i < n; i += stride) {
      const Key key = keys.load(i);
      if (i > 0 && LessThan{}(key, keys.load(i - 1))) ++out_of_order;
      if (is_nan(key)) ++nans;
      sum += digest_of(key, digest_seed);
      other_sum += digest_of(key, other_digest_seed);
    }
    block.atomic_add(digest, 0, out_of_order);
    block.atomic_add(digest, 1, nans);
    block.atomic_add(digest, 2, sum);
    block.atomic_add(digest, 3, other_sum);
  }
};

}  // namespace fathom
