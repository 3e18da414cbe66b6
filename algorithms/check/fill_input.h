// Input patterns, made on the device: element i is a function of i alone, so any size is made in one pass.
#pragma once

#include <fathom/device/contract.h>

namespace fathom {

/// A bijection of 64-bit words that scatters them well (the finaliser of the SplitMix64 generator).
FATHOM_DEVICE
constexpr u64 scatter(u64 x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

enum class Pattern : int { random, sorted, reverse, nearly_sorted, few_unique, equal, zipf };

template <class T>
struct FillInput {
  Span<T> output;
  Pattern pattern;

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const Index n = Index(output.count);
    const Index stride = block.blocks() * block.threads();
    for (Index i = block.index() * block.threads() + block.thread(); i < n; i += stride)
      output.store(i, element(i, n));
  }

  FATHOM_DEVICE
  T element(Index i, Index n) const {
    const u64 random = scatter(u64(i));
    // Ordered keys spread over the type's range, so that they are as distinct as it allows.
    const T ordered = T(double(i) / double(n) * 4294967296.0);
    switch (pattern) {
      case Pattern::random:
        return T(random);
      case Pattern::sorted:
        return ordered;
      case Pattern::reverse:
        return T(4294967295u) - ordered;
      case Pattern::nearly_sorted:  // one in 128 is anywhere
        return random % 128 == 0 ? T(scatter(random) >> 32) : ordered;
      case Pattern::few_unique:
        return T(random % 16);
      case Pattern::equal:
        return T(42);
      case Pattern::zipf: {  // P(k) ≈ 1/(k·(k+1)), k ≥ 1: exponent 2 by inversion
        const double uniform = double(random >> 11) / 9007199254740992.0;
        return T(smaller(1.0 / (1.0 - uniform), 4294967295.0));
      }
    }
    return T(0);
  }
};

}  // namespace fathom
