// SPDX-License-Identifier: Apache-2.0
// The order that passes over keys alone have put them into.
#pragma once

#include <fathom/algorithms/block/digits.h>

namespace fathom {

/// The order of keys by the bits that passes have sorted by, from the first to those of this pass's digit.
/// Ranks that keep the order of equal digits as far as one sees, but do not prove it, may have left the keys
/// of a digit in another one; keys that agree in these bits may be in any. The padding of the last tile,
/// which has all bits, comes last.
template <class Key>
class KeyOrder {
  using Bits = BitsOf<Key>;
  static constexpr Bits all = Bits(~Bits(0));

 public:
  FATHOM_DEVICE
  KeyOrder(int first_bit, const Digit& digit)
      : bits_(all >> (key_bits<Key> - digit.first - digit.count) & all << first_bit) {}

  FATHOM_DEVICE
  bool is_less(const Key& a, const Key& b) const {
    return (ordered_bits(a) & bits_) < (ordered_bits(b) & bits_);
  }
  FATHOM_DEVICE
  static bool is_padding(const Key& key) { return ordered_bits(key) == all; }
  /// Returns true if `key`, which has come behind `before`, has to come ahead of it.
  FATHOM_DEVICE
  bool belongs_behind(const Key& before, const Key& key) const {
    return is_less(key, before) || (!is_less(before, key) && is_padding(before) && !is_padding(key));
  }

 private:
  Bits bits_;
};

}  // namespace fathom
