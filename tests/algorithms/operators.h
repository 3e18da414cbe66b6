// SPDX-License-Identifier: Apache-2.0
// Non-commutative operators, and random elements for them and for the element types.
#pragma once

#include <fathom/core/elements/elements.h>

#include <random>
#include <type_traits>
#include <vector>

namespace fathom::tests {

/// 2 × 2 matrices modulo a prime, under multiplication.
struct Matrix {
  u32 entry[4];
  bool operator==(const Matrix&) const = default;
};
struct MatrixProduct {
  static constexpr u64 prime = 1000003;
  template <class T>
  T operator()(const T& a, const T& b) const {
    const auto dot = [](u32 p, u32 q, u32 r, u32 s) { return u32((u64(p) * q + u64(r) * s) % prime); };
    return {{dot(a.entry[0], b.entry[0], a.entry[1], b.entry[2]),
             dot(a.entry[0], b.entry[1], a.entry[1], b.entry[3]),
             dot(a.entry[2], b.entry[0], a.entry[3], b.entry[2]),
             dot(a.entry[2], b.entry[1], a.entry[3], b.entry[3])}};
  }
  template <class T>
  static constexpr T identity() {
    return {{1, 0, 0, 1}};
  }
};

/// Strings, represented by length and polynomial hash, under concatenation.
struct Text {
  u32 length, hash;
  bool operator==(const Text&) const = default;
};
struct Concatenate {
  static constexpr u64 prime = 4294967291u, base = 65599;
  template <class T>
  T operator()(const T& a, const T& b) const {
    u64 shift = 1, power = base;
    for (u32 bits = b.length; bits > 0; bits /= 2) {
      if (bits % 2) shift = shift * power % prime;
      power = power * power % prime;
    }
    return {a.length + b.length, u32((a.hash * shift + b.hash) % prime)};
  }
  template <class T>
  static constexpr T identity() {
    return {0, 0};
  }
};

/// Upper triangular 2 × 2 matrices modulo a prime: three words, a size that does not divide a power of two.
struct Triangle {
  u32 first, corner, last;
  bool operator==(const Triangle&) const = default;
};
struct TriangleProduct {
  template <class T>
  T operator()(const T& a, const T& b) const {
    const auto modulo = [](u64 x) { return u32(x % MatrixProduct::prime); };
    return {modulo(u64(a.first) * b.first), modulo(u64(a.first) * b.corner + u64(a.corner) * b.last),
            modulo(u64(a.last) * b.last)};
  }
  template <class T>
  static constexpr T identity() {
    return {1, 0, 1};
  }
};

template <class T>
T random_value(std::mt19937_64& generator) {
  const auto word = [&] { return u32(generator() % 1000); };
  if constexpr (std::is_floating_point_v<T>)
    return T(int(generator() % 3) - 1);  // sums are exact in any order
  else if constexpr (std::is_same_v<T, Pair>)
    return {u32(generator()), u32(generator())};
  else if constexpr (std::is_same_v<T, Matrix>)
    return {{word(), word(), word(), word()}};
  else if constexpr (std::is_same_v<T, Triangle>)
    return {word(), word(), word()};
  else if constexpr (std::is_same_v<T, Text>)
    return {u32(generator() % 4), word()};
  else
    return T(generator());
}

template <class T>
std::vector<T> random_values(std::size_t n) {
  std::mt19937_64 generator(n);
  std::vector<T> values(n);
  for (T& value : values) value = random_value<T>(generator);
  return values;
}

}  // namespace fathom::tests
