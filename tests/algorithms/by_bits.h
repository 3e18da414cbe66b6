// SPDX-License-Identifier: Apache-2.0
// Keys in the order of their bits, in which radix sorts put them.
#pragma once

#include <fathom/algorithms/block/digits.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace fathom::tests {

template <class Key>
bool in_order_of_bits(const Key& a, const Key& b) {
  return ordered_bits(a) < ordered_bits(b);
}
template <class Key>
bool same_bits(const std::vector<Key>& a, const std::vector<Key>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(Key)) == 0);
}
template <class Key>
std::vector<Key> in_order(std::vector<Key> keys) {
  std::stable_sort(keys.begin(), keys.end(), in_order_of_bits<Key>);
  return keys;
}

}  // namespace fathom::tests
