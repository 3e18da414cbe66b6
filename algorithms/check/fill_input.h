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

/// An element made of a pattern's value, and one of random bits.
template <class T>
struct MakeElement {
  FATHOM_DEVICE
  static T of(u64 value) { return T(value); }
  FATHOM_DEVICE
  static T random(u64 bits) { return T(bits); }
};
/// Random floating-point numbers are -1, 0 or 1: their sums are whole numbers that stay far below 2^24 up to
/// n = 2^30 and beyond, hence exact in whatever order, and checks may ask for equality.
template <>
struct MakeElement<f32> {
  FATHOM_DEVICE
  static f32 of(u64 value) { return f32(value); }
  FATHOM_DEVICE
  static f32 random(u64 bits) { return f32(int(bits % 3) - 1); }
};
template <>
struct MakeElement<f64> {
  FATHOM_DEVICE
  static f64 of(u64 value) { return f64(value); }
  FATHOM_DEVICE
  static f64 random(u64 bits) { return f64(int(bits % 3) - 1); }
};
template <>
struct MakeElement<Pair> {
  FATHOM_DEVICE
  static Pair of(u64 value) { return {u32(value), ~u32(value)}; }
  FATHOM_DEVICE
  static Pair random(u64 bits) { return {u32(bits), u32(bits >> 32)}; }
};

/// Ordered keys of [0, 2^32), spread so that they are as distinct as the range allows.
FATHOM_DEVICE
u64 ordered_value(Index rank, Index n) {
  return u64(double(rank) / double(n) * 4294967296.0);
}

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
      output.store(i, pattern == Pattern::random ? MakeElement<T>::random(scatter(u64(i)))
                                                 : MakeElement<T>::of(value(i, n)));
  }

 private:
  /// In [0, 2^32).
  FATHOM_DEVICE
  u64 value(Index i, Index n) const {
    const u64 random = scatter(u64(i));
    const u64 ordered = ordered_value(i, n);
    switch (pattern) {
      case Pattern::random:
        break;
      case Pattern::sorted:
        return ordered;
      case Pattern::reverse:
        return 4294967295u - ordered;
      case Pattern::nearly_sorted:  // one in 128 is anywhere
        return random % 128 == 0 ? scatter(random) >> 32 : ordered;
      case Pattern::few_unique:
        return random % 16;
      case Pattern::equal:
        return 42;
      case Pattern::zipf: {  // P(k) ≈ 1/(k·(k+1)), k ≥ 1: exponent 2 by inversion
        const double uniform = double(random >> 11) / 9007199254740992.0;
        return u64(smaller(1.0 / (1.0 - uniform), 4294967295.0));
      }
    }
    return 0;
  }
};

}  // namespace fathom
