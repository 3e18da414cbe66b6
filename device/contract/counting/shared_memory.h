// SPDX-License-Identifier: Apache-2.0
// Shared memory on the CPU: every access is checked and counted, and packed counters must not overflow.
#pragma once

#include <fathom/device/contract/counting/accesses.h>

#include <cstddef>
#include <string>
#include <utility>

namespace fathom {

template <class T>
struct Shared {
  static_assert(sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) % 4 == 0,
                "elements of shared memory must have 1 or 2 bytes or whole 32-bit words");
  using Where = counting::Where;
  T* data;
  int count;

  T load(int i, Where where = Where::current()) const { return *at(counting::Access::shared_load, i, where); }
  /// A member of an element alone.
  template <class Element, class Member>
  Member load(int i, Member Element::*member, Where where = Where::current()) const {
    const Element* const element = checked(i, where);
    const Member& loaded = element->*member;
    counting::shared_access(
        counting::Access::shared_load, element, sizeof(Member), where,
        std::size_t(reinterpret_cast<const char*>(&loaded) - reinterpret_cast<const char*>(element)));
    return loaded;
  }
  void store(int i, const T& value, Where where = Where::current()) const {
    *at(counting::Access::shared_store, i, where) = value;
  }
  Shared from(int offset, Where where = Where::current()) const {
    if (offset < 0 || offset > count) counting::out_of_bounds("shared", offset, count, where);
    return {data + offset, count - offset};
  }

  T atomic_add(int i, T value, Where where = Where::current()) const {
    return atomic(i, value, counting::Add{}, where);
  }
  T atomic_or(int i, T value, Where where = Where::current()) const {
    return atomic(i, value, counting::Or{}, where);
  }
  T atomic_min(int i, T value, Where where = Where::current()) const {
    return atomic(i, value, Minimum{}, where);
  }
  T atomic_max(int i, T value, Where where = Where::current()) const {
    return atomic(i, value, Maximum{}, where);
  }
  T atomic_exchange(int i, T value, Where where = Where::current()) const {
    return atomic(i, value, counting::Second{}, where);
  }

 private:
  friend class Block;
  template <class Row>
  friend class CopyPipeline;
  T* checked(int i, Where where) const {
    if (i < 0 || i >= count) counting::out_of_bounds("shared", i, count, where);
    return data + i;
  }
  T* at(counting::Access access, int i, Where where) const {
    T* const element = checked(i, where);
    counting::shared_access(access, element, sizeof(T), where);
    return element;
  }
  /// The threads of a block take turns, so no other thread can intervene.
  template <class Operator>
  T atomic(int i, T value, Operator combine, Where where) const {
    static_assert(has_atomics<T>, "atomics work on u32, i32 and u64");
    T* const element = at(counting::Access::shared_atomic, i, where);
    return std::exchange(*element, combine(*element, value));
  }
};

template <int bits>
struct PackedCounters {
  using Fields = PackedFields<bits>;
  using Where = counting::Where;
  static constexpr int per_word = Fields::per_word;
  static constexpr u32 greatest = Fields::greatest;
  Shared<u32> words;

  u32 load(int word, int field, Where where = Where::current()) const {
    return Fields::get(words.load(word, where), checked(field, where));
  }
  u32 increment(int word, int field, Where where = Where::current()) const {
    const u32 before = words.load(word, where);
    words.store(word, before + Fields::one(checked(field, where)), where);
    return incremented(before, field, where);
  }
  u32 atomic_increment(int word, int field, Where where = Where::current()) const {
    return incremented(words.atomic_add(word, Fields::one(checked(field, where)), where), field, where);
  }
  static u32 add(u32 a, u32 b, Where where = Where::current()) {
    for (int field = 0; field < per_word; ++field)
      if (Fields::get(a, field) + Fields::get(b, field) > greatest) overflow(where);
    return a + b;
  }

 private:
  static int checked(int field, Where where) {
    if (field < 0 || field >= per_word)
      counting::failed("field " + std::to_string(field) + " of a word with " + std::to_string(per_word),
                       where);
    return field;
  }
  static u32 incremented(u32 before, int field, Where where) {
    if (Fields::get(before, field) == greatest) overflow(where);
    return Fields::get(before, field);
  }
  [[noreturn]] static void overflow(Where where) {
    counting::failed("a packed counter of " + std::to_string(bits) + " bits overflows", where);
  }
};

}  // namespace fathom
