// What sorts move: keys alone, or records of a key and a value.
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
// Networks do not keep the order of equal keys. In a stable sort the records that a network sorts have ranks,
// their positions in its input as it should be if all keys were equal, which decide between equal keys.

struct Unstable {};
struct Stable {};

template <class Record>
struct Ranked {
  Record record;
  int rank;
};

namespace detail {
template <class Element, class Stability>
struct Sorted {
  using type = Element;
};
template <class Key, class Value>
struct Sorted<Record<Key, Value>, Stable> {
  using type = Ranked<Record<Key, Value>>;
};
}  // namespace detail

/// What networks sort.
template <class Element, class Stability>
using SortedBy = typename detail::Sorted<Element, Stability>::type;

template <class Item>
inline constexpr bool is_ranked = false;
template <class Record>
inline constexpr bool is_ranked<Ranked<Record>> = true;

template <class Item, class Element>
FATHOM_DEVICE
Item with_rank(const Element& element, int rank) {
  if constexpr (is_ranked<Item>)
    return {element, rank};
  else
    return element;
}
template <class Element>
FATHOM_DEVICE
const Element& without_rank(const Element& element) {
  return element;
}
template <class Record>
FATHOM_DEVICE
const Record& without_rank(const Ranked<Record>& ranked) {
  return ranked.record;
}

/// An order of keys as one of records: by key, and by rank if they have one.
template <class LessThan>
struct ByKey {
  template <class Key, class Value>
  FATHOM_DEVICE
  bool operator()(const Record<Key, Value>& a, const Record<Key, Value>& b) const {
    return LessThan{}(Key(a.key), Key(b.key));
  }
  template <class Key, class Value>
  FATHOM_DEVICE
  bool operator()(const Ranked<Record<Key, Value>>& a, const Ranked<Record<Key, Value>>& b) const {
    const bool less = (*this)(a.record, b.record), greater = (*this)(b.record, a.record);
    const bool ranks_lower = a.rank < b.rank;
    return less | (ranks_lower & !greater);  // || and && would be branches, of which lanes take both
  }
};

namespace detail {
template <class Element, class LessThan>
struct Order {
  using type = LessThan;
};
template <class Key, class Value, class LessThan>
struct Order<Record<Key, Value>, LessThan> {
  using type = ByKey<LessThan>;
};
}  // namespace detail

/// The order of elements whose keys are ordered by LessThan.
template <class Element, class LessThan>
using OrderOf = typename detail::Order<Element, LessThan>::type;

}  // namespace fathom
