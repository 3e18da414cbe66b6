// SPDX-License-Identifier: Apache-2.0
// Input patterns. Each element is a function of its index alone, so that an input of any size is made in one
// pass.
#pragma once

#include <fathom/device/contract/contract.h>

namespace fathom {

/// A bijection of 64-bit words that scatters them well (the finaliser of the SplitMix64 generator).
FATHOM_DEVICE
constexpr u64 scatter(u64 x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

/// How a pattern's values and random bits become elements: as keys of a sort, or as summands of a scan or
/// reduction.
struct AsKey {
  template <class T>
  FATHOM_DEVICE
  static T of(u64 value) { return Element<T>::key(value); }
  template <class T>
  FATHOM_DEVICE
  static T random(u64 bits) { return Element<T>::random_key(bits); }
};
struct AsSummand {
  template <class T>
  FATHOM_DEVICE
  static T of(u64 value) { return Element<T>::summand(value); }
  template <class T>
  FATHOM_DEVICE
  static T random(u64 bits) { return Element<T>::random_summand(bits); }
};

/// The patterns whose element i depends on i alone. The conflict-heavy pattern has its own kernel.
enum class Pattern : int {
  random,
  sorted,
  reverse,
  nearly_sorted,
  few_unique,
  equal,
  zipf,
  sortedness,
  entropy
};

/// Ordered values in [0, 2^32), spread to be as distinct as the range allows.
FATHOM_DEVICE
u64 ordered_value(Index rank, Index n) {
  return u64(double(rank) / double(n) * 4294967296.0);
}

/// 32 bits, each 1 with a probability of threshold/2^16.
FATHOM_DEVICE
u64 biased_bits(u64 random, u64 threshold) {
  u64 bits = 0;
  for (int word = 0; word < 8; ++word) {
    random = scatter(random);
    for (int part = 0; part < 4; ++part) bits = 2 * bits + u64((random >> (16 * part)) % 65536 < threshold);
  }
  return bits;
}

/// A pattern's value at i, in [0, 2^32). The random pattern has no values: its elements are made from random
/// bits. `threshold` is that of the input's degree (fill_input.cpp).
FATHOM_DEVICE
u64 pattern_value(Pattern pattern, Index i, Index n, u64 threshold) {
  const u64 random = scatter(u64(i));
  const u64 ordered = ordered_value(i, n);
  switch (pattern) {
    case Pattern::random:
      break;
    case Pattern::sorted:
      return ordered;
    case Pattern::reverse:
      return 4294967295u - ordered;
    case Pattern::nearly_sorted:  // one in 128 is at a random place
      return random % 128 == 0 ? scatter(random) >> 32 : ordered;
    case Pattern::sortedness:
      return random >> 32 < threshold ? ordered : scatter(random) >> 32;
    case Pattern::entropy:
      return biased_bits(random, threshold);
    case Pattern::few_unique:
      return random % 16;
    case Pattern::equal:
      return 42;
    case Pattern::zipf: {  // P(k) ≈ 1/(k·(k+1)), k ≥ 1: exponent 2 by inversion
      const double uniform = double(random >> 11) / 9007199254740992.0;
      return u64(min(1.0 / (1.0 - uniform), 4294967295.0));
    }
  }
  return 0;
}

}  // namespace fathom
