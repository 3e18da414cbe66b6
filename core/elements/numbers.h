// SPDX-License-Identifier: Apache-2.0
// Integers and floating-point numbers as elements.
//
// NaN is excluded, because it has no place in the order: it is neither less nor greater than anything, so it
// would be equivalent to every number, and the result of a sort would depend on its position. No input that
// Fathom generates contains one, and the check of a sort rejects an input that does. The other special values
// are ordered: infinities come first and last, and -0 and +0 are equivalent, but different elements that a
// sort must not replace by each other.
#pragma once

#include <fathom/core/elements/element.h>

namespace fathom {

namespace detail {

/// Spreads [0, 2^32) over the range of a word, in the same order.
template <class Bits>
FATHOM_DEVICE
constexpr Bits spread(u64 value) {
  return sizeof(Bits) == 8 ? Bits(value << 32 | value) : Bits(value);
}

template <class T, class Bits>
struct IntegerElement {
  static constexpr bool is_signed = T(-1) < T(0);
  static constexpr Bits sign_bit = Bits(1) << (8 * sizeof(T) - 1);

  FATHOM_DEVICE
  static constexpr T least() { return T(is_signed ? sign_bit : 0); }
  FATHOM_DEVICE
  static constexpr T greatest() { return T(is_signed ? sign_bit - 1 : ~Bits(0)); }
  FATHOM_DEVICE
  static constexpr T key(u64 value) { return T(spread<Bits>(value) ^ (is_signed ? sign_bit : 0)); }
  FATHOM_DEVICE
  static constexpr T random_key(u64 bits) { return T(bits); }
  FATHOM_DEVICE
  static constexpr T summand(u64 value) { return T(value); }
  FATHOM_DEVICE
  static constexpr T random_summand(u64 bits) { return T(bits); }
};

template <class T, class Bits, int exponent_bits>
struct FloatElement {
  static constexpr Bits sign_bit = Bits(1) << (8 * sizeof(T) - 1);
  static constexpr Bits infinity = sign_bit - (sign_bit >> exponent_bits);

  FATHOM_DEVICE
  static constexpr T least() { return number(sign_bit | infinity); }
  FATHOM_DEVICE
  static constexpr T greatest() { return number(infinity); }

  /// From -infinity to +infinity, -0 and +0 in the middle.
  FATHOM_DEVICE
  static constexpr T key(u64 value) { return of_rank(spread<Bits>(value)); }

  /// All exponents are equally likely. One key in 64 is zero, infinite or denormal, so that zeros of both
  /// signs occur together.
  FATHOM_DEVICE
  static constexpr T random_key(u64 bits) {
    const Bits random = Bits(bits >> (64 - 8 * sizeof(T)));
    if (!is_special(bits)) return of_rank(random);
    const Bits sign = bits / 64 % 2 == 0 ? 0 : sign_bit;
    switch (bits / 128 % 4) {
      case 0:
        return number(sign | infinity);
      case 1:
        return number(sign | (random & ((sign_bit >> exponent_bits) - 1)));
      default:
        return number(sign);
    }
  }

  FATHOM_DEVICE
  static constexpr T summand(u64 value) { return T(value); }
  /// -1, 0 or 1: sums are whole numbers that stay far below 2^24 up to n = 2^30 and beyond. So they are exact
  /// in any order, and checks can require equality.
  FATHOM_DEVICE
  static constexpr T random_summand(u64 bits) { return T(int(bits % 3) - 1); }

 private:
  FATHOM_DEVICE
  static constexpr T number(Bits bits) { return __builtin_bit_cast(T, bits); }

  /// Maps words to numbers in ascending order. Without NaN there are fewer numbers than words, so some
  /// neighbours map to the same number.
  FATHOM_DEVICE
  static constexpr T of_rank(Bits rank) {
    const bool negative = rank < sign_bit;
    const Bits from_zero = negative ? sign_bit - 1 - rank : rank - sign_bit;
    const Bits magnitude = from_zero - (from_zero >> exponent_bits);  // at most infinity
    return number(negative ? sign_bit | magnitude : magnitude);
  }
};

}  // namespace detail

template <>
struct Element<u32> : detail::IntegerElement<u32, u32> {
  static constexpr const char* name = "u32";
};
template <>
struct Element<u64> : detail::IntegerElement<u64, u64> {
  static constexpr const char* name = "u64";
};
template <>
struct Element<i32> : detail::IntegerElement<i32, u32> {
  static constexpr const char* name = "i32";
};
template <>
struct Element<i64> : detail::IntegerElement<i64, u64> {
  static constexpr const char* name = "i64";
};
template <>
struct Element<f32> : detail::FloatElement<f32, u32, 8> {
  static constexpr const char* name = "f32";
};
template <>
struct Element<f64> : detail::FloatElement<f64, u64, 11> {
  static constexpr const char* name = "f64";
};

}  // namespace fathom
