// SPDX-License-Identifier: Apache-2.0
// The elements that sorts move: keys alone, or records of a key and a value.
//
// In global memory keys and values lie in an array each. In registers and shared memory a record is one
// element.
#pragma once

#include <fathom/device/contract/contract.h>

namespace fathom {

/// A key with its value, aligned so that one instruction accesses both in shared memory.
template <class Key, class Value>
struct alignas(2 * sizeof(Key)) Record {
  Key key;
  Value value;
};
/// A value in words, for which the alignment of a word suffices.
template <class T>
struct InWords {
  struct Words {
    u32 word[sizeof(T) / 4];
  } words;

  InWords() = default;
  FATHOM_DEVICE
  InWords(const T& value) : words(__builtin_bit_cast(Words, value)) {}
  FATHOM_DEVICE
  operator T() const { return __builtin_bit_cast(T, words); }
};
/// Without padding, which would take space in shared memory and leave banks unused.
template <class Key, class Value>
requires(sizeof(Key) != sizeof(Value)) struct Record<Key, Value> {
  InWords<Key> key;
  InWords<Value> value;
};

/// Records in global memory.
template <class Key, class Value>
struct SplitSpan {
  using Element = Record<typename Span<Key>::Value, typename Span<Value>::Value>;
  Span<Key> keys;
  Span<Value> values;

  FATHOM_DEVICE
  Element load(Index i) const { return {keys.load(i), values.load(i)}; }
  FATHOM_DEVICE
  void store(Index i, const Element& record) const {
    keys.store(i, typename Span<Key>::Value(record.key));
    values.store(i, typename Span<Value>::Value(record.value));
  }
  FATHOM_DEVICE
  SplitSpan from(Index offset) const { return {keys.from(offset), values.from(offset)}; }
};

namespace detail {
template <class Element>
struct List {
  using Key = Element;
  using type = Span<Element>;
  using constant = Span<const Element>;
};
template <class K, class Value>
struct List<Record<K, Value>> {
  using Key = K;
  using type = SplitSpan<K, Value>;
  using constant = SplitSpan<const K, const Value>;
};
}  // namespace detail

/// Elements in global memory: a Span of keys, or a SplitSpan of records.
template <class Element>
using ListOf = typename detail::List<Element>::type;
template <class Element>
using ConstListOf = typename detail::List<Element>::constant;
template <class Element>
using KeyOf = typename detail::List<Element>::Key;

template <class Element>
inline constexpr bool has_values = false;
template <class Key, class Value>
inline constexpr bool has_values<Record<Key, Value>> = true;

namespace detail {
template <class Element>
struct ValueOf {
  using type = u32;
};
template <class Key, class Value>
struct ValueOf<Record<Key, Value>> {
  using type = Value;
};
}  // namespace detail

/// The type of values; for keys alone, one that nobody reads.
template <class Element>
using ValueOf = typename detail::ValueOf<Element>::type;

template <class Key>
FATHOM_DEVICE
Span<Key> keys_of(Span<Key> list) {
  return list;
}
template <class Key, class Value>
FATHOM_DEVICE
Span<Key> keys_of(SplitSpan<Key, Value> list) {
  return list.keys;
}
/// The keys of records in shared memory.
template <class Key, class Value>
struct SharedKeys {
  Shared<Record<Key, Value>> records;

  FATHOM_DEVICE
  Key load(int i) const { return Key(records.load(i, &Record<Key, Value>::key)); }
};
/// `a` if the condition holds, else `b`. Written as a conditional, which selects a reference, it would make
/// accesses that may be to any memory.
template <class T>
FATHOM_DEVICE
Span<T> one_of(bool condition, const Span<T>& a, const Span<T>& b) {
  return {condition ? a.data : b.data, condition ? a.count : b.count};
}
template <class Key, class Value>
FATHOM_DEVICE
SplitSpan<Key, Value> one_of(bool condition, const SplitSpan<Key, Value>& a, const SplitSpan<Key, Value>& b) {
  return {one_of(condition, a.keys, b.keys), one_of(condition, a.values, b.values)};
}
template <class T>
FATHOM_DEVICE
Span<const T> read_only(Span<T> list) {
  return {list.data, list.count};
}
template <class Key, class Value>
FATHOM_DEVICE
SplitSpan<const Key, const Value> read_only(SplitSpan<Key, Value> list) {
  return {read_only(list.keys), read_only(list.values)};
}

// ---- stability ----
//
// Networks do not keep the order of equal keys. In a stable sort they compare positions in the input, too: no
// two elements are then equal, and every sort gives the same result. Positions take the place of values, in
// their first word; the values stay in memory meanwhile.

template <class Value>
FATHOM_DEVICE
Value position_as(u32 position) {
  typename InWords<Value>::Words words{};
  words.word[0] = position;
  return __builtin_bit_cast(Value, words);
}
template <class Key, class Value>
FATHOM_DEVICE
int position_in(const Record<Key, Value>& record) {
  return int(InWords<Value>(record.value).words.word[0]);
}

struct Unstable {};
struct Stable {};

namespace detail {
/// An integer that has room for a key, in its upper half, and a position, if it is in the keys' order.
template <class Key, class LessThan>
struct KeyWithPosition {
  static constexpr bool exists = false;
};
template <>
struct KeyWithPosition<u32, Less> {
  static constexpr bool exists = true;
  using type = u64;
};
template <>
struct KeyWithPosition<i32, Less> {
  static constexpr bool exists = true;
  using type = i64;
};
}  // namespace detail

/// An order of keys as one of records.
template <class LessThan>
struct ByKey {
  template <class Key, class Value>
  FATHOM_DEVICE
  bool operator()(const Record<Key, Value>& a, const Record<Key, Value>& b) const {
    return LessThan{}(Key(a.key), Key(b.key));
  }
  template <class Key>
  FATHOM_DEVICE
  bool operator()(const Key& a, const Key& b) const { return LessThan{}(a, b); }
};
/// An order of keys with their positions: equal keys by position. Of two equal keys alone, the one whose
/// position is less must come first.
template <class LessThan>
struct ByKeyAndPosition {
  template <class Key, class Value>
  FATHOM_DEVICE
  bool operator()(const Record<Key, Value>& a, const Record<Key, Value>& b) const {
    if constexpr (detail::KeyWithPosition<Key, LessThan>::exists) {
      using Both = typename detail::KeyWithPosition<Key, LessThan>::type;
      return (Both(a.key) << 32 | u32(position_in(a))) < (Both(b.key) << 32 | u32(position_in(b)));
    }
    const bool less = LessThan{}(Key(a.key), Key(b.key)), greater = LessThan{}(Key(b.key), Key(a.key));
    const bool before = position_in(a) < position_in(b);
    return less | (before & !greater);  // || and && would be branches, of which lanes take both
  }
  template <class Key>
  FATHOM_DEVICE
  bool operator()(const Key& a, const Key& b) const { return LessThan{}(a, b); }
};

namespace detail {
template <class Element, class LessThan, class Stability>
struct Order {
  using type = LessThan;
};
template <class Key, class Value, class LessThan>
struct Order<Record<Key, Value>, LessThan, Unstable> {
  using type = ByKey<LessThan>;
};
template <class Key, class Value, class LessThan>
struct Order<Record<Key, Value>, LessThan, Stable> {
  using type = ByKeyAndPosition<LessThan>;
};
}  // namespace detail

/// The order of a block's elements, whose keys are ordered by LessThan.
template <class Element, class LessThan, class Stability = Unstable>
using OrderOf = typename detail::Order<Element, LessThan, Stability>::type;

}  // namespace fathom
