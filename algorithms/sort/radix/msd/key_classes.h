// SPDX-License-Identifier: Apache-2.0
// Keys sorted into those that are frequent and those between them.
#pragma once

#include <fathom/algorithms/block/digits.h>
#include <fathom/device/contract/contract.h>

namespace fathom {

/// Tells if it is faster to put elements with frequent keys at their places at once, and to sort the others
/// apart, than to sort all by all digits. Costs are in elements that a pass moves.
struct ClassCosts {
  Index of_digit;    ///< what is saved if all need not be sorted by a digit
  Index of_classes;  ///< what it costs to put all into the order of classes
  Index most;        ///< for which there is room; 0: frequent keys are not looked for

  /// An element that is sorted apart costs so many passes besides one for each digit: about what those of
  /// keys of 0.05 to 0.2 bits of entropy do at 2^26 on an H200 (data/h200-radix-sorts/skew.json).
  static constexpr int passes_besides = 5;

  /// `elements` have rare keys, and `digits` are those in which the keys differ.
  FATHOM_DEVICE
  bool pays(Index elements, int digits) const {
    return most > 0 && elements <= most &&
           of_classes + elements * (digits + passes_besides) <= digits * of_digit;
  }
};

/// A few keys that many elements have (CountClasses finds them), in global memory.
template <class Key>
struct FrequentKeys {
  static constexpr int most = 31;
  static constexpr int padded = most + 1;
  static constexpr int classes = 2 * most + 1;  ///< KeyClasses

  /// The bits by which these keys are sorted, ascending, and then ~0: `padded` in all.
  Span<BitsOf<Key>> bits;
  Span<u32> count;  ///< one: how many there are; 0: there are no classes
};

/// Class 2i + 1 is the i-th frequent key, and class 2i are the rare keys between it and the one before, so
/// that all keys are in the order of their classes.
template <class Key>
struct KeyClasses {
  Shared<BitsOf<Key>> frequent;  ///< as FrequentKeys::bits
  int count;                     ///< of them
  BitRange range;                ///< of the bits by which keys are sorted

  static int shared_memory() { return shared_bytes<BitsOf<Key>>(FrequentKeys<Key>::padded); }
  FATHOM_DEVICE
  static bool is_rare(int key_class) { return key_class % 2 == 0; }

  FATHOM_DEVICE
  int of(const Key& key) const { return of_bits(range.of(key)); }
  FATHOM_DEVICE
  int of_bits(BitsOf<Key> bits) const {
    int less = 0;  // frequent keys that are
    FATHOM_UNROLL
    for (int step = FrequentKeys<Key>::padded / 2; step > 0; step /= 2)
      if (frequent.load(less + step - 1) < bits) less += step;
    return 2 * less + ((less < count) & (frequent.load(less) == bits));
  }
};

/// The same, kept for the elements of a tile (KeptDigit): a class takes several times as long to find out as
/// a digit.
template <class Key>
struct KeptClasses : KeyClasses<Key> {
  Shared<u8> in_tile;

  FATHOM_DEVICE
  void keep(int at, int key_class) const { in_tile.store(at, u8(key_class)); }
  FATHOM_DEVICE
  int kept(int at) const { return in_tile.load(at); }
};

}  // namespace fathom
