// SPDX-License-Identifier: Apache-2.0
// Arrays on an executor for tests of functions, and what the standard library makes of the same numbers.
#pragma once

#include <fathom/functions/functions.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

namespace fathom::tests {

/// Random bits, so that floating-point keys are of every kind, NaN among them.
template <class T>
std::vector<T> random_bits(std::size_t n, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<T> values(n);
  for (T& value : values) {
    const std::uint64_t bits = random();
    std::memcpy(&value, &bits, sizeof value);
  }
  return values;
}

/// Few different keys, so that many are equal.
template <class T>
std::vector<T> few_keys(std::size_t n, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<T> values(n);
  for (T& value : values) value = T(random() % 50);
  return values;
}

/// The order of the bits that IEEE 754 calls total; for integers, that of their values.
template <class T>
bool in_total_order(const T& a, const T& b) {
  if constexpr (std::is_floating_point_v<T>) {
    using Bits = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;
    const auto place = [](const T& value) {
      Bits bits;
      std::memcpy(&bits, &value, sizeof bits);
      return bits < 0 ? Bits(bits ^ std::numeric_limits<Bits>::max()) : bits;
    };
    return place(a) < place(b);
  } else {
    return a < b;
  }
}

/// Equal bit by bit: of numbers, NaN are not equal to themselves.
template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

template <class T>
DeviceArray<T> on_device(Executor& executor, const std::vector<T>& values) {
  return DeviceArray<T>(executor, std::span<const T>(values));
}

}  // namespace fathom::tests
