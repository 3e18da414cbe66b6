// SPDX-License-Identifier: Apache-2.0
// Two words that are added component by component, for reductions and scans.
#pragma once

#include <fathom/core/elements/element.h>

namespace fathom {

/// An element of two words. Addition is component-wise.
struct alignas(8) Pair {
  u32 first, second;

  FATHOM_DEVICE
  friend constexpr bool operator==(const Pair& a, const Pair& b) {
    return a.first == b.first && a.second == b.second;
  }
  FATHOM_DEVICE
  friend constexpr Pair operator+(const Pair& a, const Pair& b) {
    return {a.first + b.first, a.second + b.second};
  }
};

template <>
struct Element<Pair> {
  static constexpr const char* name = "pair";

  FATHOM_DEVICE
  static constexpr Pair summand(u64 value) { return {u32(value), ~u32(value)}; }
  FATHOM_DEVICE
  static constexpr Pair random_summand(u64 bits) { return {u32(bits), u32(bits >> 32)}; }
};

}  // namespace fathom
