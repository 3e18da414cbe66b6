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
enum class Pattern : int { random, sorted, reverse, nearly_sorted, few_unique, equal, zipf };

/// Ordered values in [0, 2^32), spread to be as distinct as the range allows.
FATHOM_DEVICE
u64 ordered_value(Index rank, Index n) {
  return u64(double(rank) / double(n) * 4294967296.0);
}

/// A pattern's value at i, in [0, 2^32). The random pattern has no values: its elements are made from random
/// bits.
FATHOM_DEVICE
u64 pattern_value(Pattern pattern, Index i, Index n) {
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
