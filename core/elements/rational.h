// SPDX-License-Identifier: Apache-2.0
// Rational numbers, ordered exactly by cross-multiplication.
#pragma once

#include <fathom/core/elements/element.h>

namespace fathom {

/// numerator / denominator, not necessarily in lowest terms: 1/2 and 2/4 are equivalent in order but
/// different elements.
struct alignas(8) Rational {
  i32 numerator;
  u32 denominator;  ///< > 0

  FATHOM_DEVICE
  friend constexpr bool operator<(const Rational& a, const Rational& b) {
    return i64(a.numerator) * i64(b.denominator) < i64(b.numerator) * i64(a.denominator);
  }
  FATHOM_DEVICE
  friend constexpr bool operator==(const Rational& a, const Rational& b) {
    return a.numerator == b.numerator && a.denominator == b.denominator;
  }
};

template <>
struct Element<Rational> {
  static constexpr const char* name = "rational";

  FATHOM_DEVICE
  static constexpr Rational least() { return {-2147483647 - 1, 1}; }
  FATHOM_DEVICE
  static constexpr Rational greatest() { return {2147483647, 1}; }

  /// a / (2^31 - 1 + |a|) for a in [-2^31, 2^31): denominators vary as much as numerators.
  FATHOM_DEVICE
  static constexpr Rational key(u64 value) {
    const i64 numerator = i64(value) - 2147483648;
    return {i32(numerator), u32(2147483647 + (numerator < 0 ? -numerator : numerator))};
  }
  /// Some have small numbers, so that equivalent fractions with different terms occur.
  FATHOM_DEVICE
  static constexpr Rational random_key(u64 bits) {
    if (detail::is_special(bits)) return {i32(bits / 64 % 8) - 4, u32(bits / 512 % 4) + 1};
    return {i32(bits), max(u32(bits >> 32), u32(1))};
  }
};

}  // namespace fathom
