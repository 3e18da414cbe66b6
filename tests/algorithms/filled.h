// SPDX-License-Identifier: Apache-2.0
// Inputs of algorithms, as the fillers make them.
#pragma once

#include <fathom/algorithms/check/check.h>
#include <fathom/device/counting/counting_executor.h>

#include <vector>

namespace fathom::tests {

inline constexpr auto fill_with_keys = []<class T>(auto&&... arguments) { fill_keys<T>(arguments...); };
inline constexpr auto fill_with_summands = []<class T>(auto&&... arguments) {
  fill_summands<T>(arguments...);
};

/// The elements that a filler makes, in memory that held something else.
template <class T, auto fill>
std::vector<T> filled(Input pattern, std::size_t count = 1500, TileShape tile = {}) {
  CountingExecutor executor;
  const DeviceArray<T> elements(executor, count);
  executor.fill(elements.data(), 0xa5, elements.bytes());
  fill.template operator()<T>(executor, elements.span(), pattern, tile);
  return elements.download();
}
template <class T, class... Rest>
std::vector<T> keys_of(Rest... rest) {
  return filled<T, fill_with_keys>(rest...);
}
template <class T, class... Rest>
std::vector<T> summands_of(Rest... rest) {
  return filled<T, fill_with_summands>(rest...);
}

template <class T>
bool equal_in_order(const T& a, const T& b) {
  return !(a < b) && !(b < a);
}

}  // namespace fathom::tests
