// SPDX-License-Identifier: Apache-2.0
// Keys without their type: radix kernels see only the bits, so one kernel serves all keys of a size.
#pragma once

#include <fathom/algorithms/block/digits.h>

namespace fathom {

/// A digit of keys that are given as their bits; the same as Digit::of() of the keys.
template <class Bits>
struct DigitOfBits {
  Bits flipped_if_negative;  ///< bits that change where the first bit is set
  u32 flipped;               ///< bits of the digit that change, in every key
  u32 mask;
  int first;

  template <class Key>
  static DigitOfBits of_keys(Digit digit) {
    constexpr Bits sign = Bits(1) << (key_bits<Key> - 1);
    const u32 mask = (1u << digit.count) - 1;
    return {detail::is_float<Key> ? Bits(~sign) : Bits(0),
            Key(-1) < Key(0) ? u32(sign >> digit.first) & mask : 0, mask, digit.first};
  }

  FATHOM_DEVICE
  int of(Bits bits) const {
    const Bits negative = Bits(0) - (bits >> (8 * sizeof(Bits) - 1));
    return int((u32((bits ^ (negative & flipped_if_negative)) >> first) ^ flipped) & mask);
  }
};

template <class Key>
FATHOM_DEVICE
Key key_of(const Key& key) {
  return key;
}
template <class Key, class Value>
FATHOM_DEVICE
Key key_of(const Record<Key, Value>& record) {
  return Key(record.key);
}

namespace detail {
template <class Element>
struct AsBits {
  using type = BitsOf<Element>;
};
template <class Key, class Value>
struct AsBits<Record<Key, Value>> {
  using type = Record<BitsOf<Key>, Value>;
};
}  // namespace detail

/// The element with the bits of its key in place of the key.
template <class Element>
using AsBits = typename detail::AsBits<Element>::type;

template <class Key>
Span<BitsOf<Key>> as_bits(Span<Key> keys) {
  return {reinterpret_cast<BitsOf<Key>*>(keys.data), keys.count};
}
template <class Key>
Span<const BitsOf<Key>> as_bits(Span<const Key> keys) {
  return {reinterpret_cast<const BitsOf<Key>*>(keys.data), keys.count};
}
template <class Key, class Value>
SplitSpan<BitsOf<Key>, Value> as_bits(SplitSpan<Key, Value> list) {
  return {as_bits(list.keys), list.values};
}
template <class Key, class Value>
SplitSpan<const BitsOf<Key>, const Value> as_bits(SplitSpan<const Key, const Value> list) {
  return {as_bits(list.keys), list.values};
}

}  // namespace fathom
