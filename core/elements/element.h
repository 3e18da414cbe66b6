// SPDX-License-Identifier: Apache-2.0
// Traits of element types: specialise Element<T> next to the type's definition.
#pragma once

#include <fathom/core/portable.h>

namespace fathom {

/// Every type has
///     static constexpr const char* name = "u32";    as on the command line and in files
/// and is a key, or a summand, or both. A key has operator<, operator== and
///     static constexpr T key(u64 value);            keeps the order; value < 2^32
///     static constexpr T random_key(u64 bits);      from 64 random bits: anything but NaN
/// A summand has operator+, T{} for zero and
///     static constexpr T summand(u64 value);        value < 2^32
///     static constexpr T random_summand(u64 bits);  from 64 random bits; their sums are exact in any order
/// A type whose order has a first and a last element, infinities included, has
///     static constexpr T least(), greatest();
/// The functions also run on the device: FATHOM_DEVICE.
template <class T>
struct Element;

template <class T>
concept KeyElement = requires(u64 bits) {
  Element<T>::key(bits);
  Element<T>::random_key(bits);
};
template <class T>
concept SummandElement = requires(u64 bits) {
  Element<T>::summand(bits);
  Element<T>::random_summand(bits);
};

namespace detail {
/// One random key in 64 is special, for types with special keys.
FATHOM_DEVICE
constexpr bool is_special(u64 bits) {
  return bits % 64 == 0;
}
}  // namespace detail

}  // namespace fathom
