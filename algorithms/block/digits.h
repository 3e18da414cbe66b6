// SPDX-License-Identifier: Apache-2.0
// Keys as a radix sort sees them: unsigned integers in the same order, cut into digits.
#pragma once

#include <fathom/algorithms/block/descending.h>

namespace fathom {

namespace detail {
template <class Key, int bytes = int(sizeof(Key))>
struct Bits;
template <class Key>
struct Bits<Key, 4> {
  using type = u32;
};
template <class Key>
struct Bits<Key, 8> {
  using type = u64;
};
template <class Key>
inline constexpr bool is_float = false;
template <>
inline constexpr bool is_float<f32> = true;
template <>
inline constexpr bool is_float<f64> = true;

template <class Key>
struct Ascending {
  using type = Key;
};
template <class Key>
struct Ascending<Descending<Key>> {
  using type = Key;
};
/// The key itself.
template <class Key>
using AscendingOf = typename Ascending<Key>::type;
template <class Key>
inline constexpr bool is_descending = false;
template <class Key>
inline constexpr bool is_descending<Descending<Key>> = true;
}  // namespace detail

template <class Key>
using BitsOf = typename detail::Bits<Key>::type;
template <class Key>
inline constexpr int key_bits = 8 * int(sizeof(Key));

/// The key's bits, changed so that unsigned integers order as the keys do: u32, u64, i32, i64, f32, f64.
/// Floating-point keys are in the total order of IEEE 754: NaN with the sign bit, −∞, …, −0, +0, …, +∞,
/// NaN. It refines operator<, for which −0 and +0 are equal; a stable radix sort therefore puts −0 first.
template <class Key>
FATHOM_DEVICE
BitsOf<Key> ordered_bits(const Key& key) {
  using Bits = BitsOf<Key>;
  constexpr Bits sign = Bits(1) << (key_bits<Key> - 1);
  const auto bits = __builtin_bit_cast(Bits, key);
  if constexpr (detail::is_descending<Key>)
    return ~ordered_bits(key.key);
  else if constexpr (detail::is_float<Key>)  // of negative numbers all bits are flipped, of others the sign
    return bits ^ (sign | (Bits(0) - (bits >> (key_bits<Key> - 1))));
  else
    return Key(-1) < Key(0) ? bits ^ sign : bits;
}
/// The inverse.
template <class Key>
FATHOM_DEVICE
Key from_ordered_bits(BitsOf<Key> bits) {
  using Bits = BitsOf<Key>;
  constexpr Bits sign = Bits(1) << (key_bits<Key> - 1);
  if constexpr (detail::is_descending<Key>)
    return {from_ordered_bits<detail::AscendingOf<Key>>(~bits)};
  else if constexpr (detail::is_float<Key>)
    return __builtin_bit_cast(Key, Bits(bits ^ (sign | ((bits >> (key_bits<Key> - 1)) - 1))));
  else
    return __builtin_bit_cast(Key, Bits(Key(-1) < Key(0) ? bits ^ sign : bits));
}

/// Bits [first, first + count) of the ordered bits of a key; 1 ≤ count < 32.
struct Digit {
  int first;
  int count;

  template <class Key>
  FATHOM_DEVICE
  int of(const Key& key) const { return int(u32(ordered_bits(key) >> first) & ((1u << count) - 1)); }
};

/// The bits by which keys are sorted: [begin, end) of their ordered bits. The others are taken to be equal.
struct BitRange {
  int begin;
  int end;

  template <class Key>
  FATHOM_DEVICE
  static constexpr BitRange all() { return {0, key_bits<Key>}; }
  /// These bits of a key.
  template <class Key>
  FATHOM_DEVICE
  BitsOf<Key> of(const Key& key) const {
    return (ordered_bits(key) << (key_bits<Key> - end)) >> (key_bits<Key> - end + begin);
  }
  /// Digits of `bits` bits; the highest may have fewer.
  FATHOM_DEVICE
  constexpr int digits(int bits) const { return (end - begin + bits - 1) / bits; }
  /// The p-th of them, from the lowest.
  FATHOM_DEVICE
  constexpr Digit digit(int p, int bits) const {
    return {begin + p * bits, min(bits, end - begin - p * bits)};
  }
};

}  // namespace fathom
