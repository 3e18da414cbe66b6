// SPDX-License-Identifier: Apache-2.0
// Shared memory under CUDA: raw pointers, and counters packed into words.
#pragma once

#include <fathom/device/contract/types.h>

namespace fathom {

template <class T>
struct Shared {
  T* data;

  FATHOM_DEVICE
  T load(int i) const { return data[i]; }
  template <class Element, class Member>
  FATHOM_DEVICE
  Member load(int i, Member Element::*member) const { return data[i].*member; }
  FATHOM_DEVICE
  void store(int i, const T& value) const { data[i] = value; }
  FATHOM_DEVICE
  Shared from(int offset) const { return {data + offset}; }

  // Atomics that order nothing else; each returns the value before.
  FATHOM_DEVICE
  T atomic_add(int i, T value) const { return atomicAdd(atomic(i), value); }
  FATHOM_DEVICE
  T atomic_or(int i, T value) const { return atomicOr(atomic(i), value); }
  FATHOM_DEVICE
  T atomic_min(int i, T value) const { return atomicMin(atomic(i), value); }
  FATHOM_DEVICE
  T atomic_max(int i, T value) const { return atomicMax(atomic(i), value); }
  FATHOM_DEVICE
  T atomic_exchange(int i, T value) const { return atomicExch(atomic(i), value); }

 private:
  FATHOM_DEVICE
  T* atomic(int i) const {
    static_assert(has_atomics<T>, "atomics work on u32, i32 and u64");
    return data + i;
  }
};

/// Counters in the fields of words of shared memory. Adding two words adds their fields as long as no sum
/// exceeds `greatest`: nothing between the fields stops a carry. The counting executor checks this.
template <int bits>
struct PackedCounters {
  using Fields = PackedFields<bits>;
  static constexpr int per_word = Fields::per_word;
  static constexpr u32 greatest = Fields::greatest;
  Shared<u32> words;

  FATHOM_DEVICE
  u32 load(int word, int field) const { return Fields::get(words.load(word), field); }
  /// No other thread may use the word. Returns the previous count.
  FATHOM_DEVICE
  u32 increment(int word, int field) const {
    const u32 before = words.load(word);
    words.store(word, before + Fields::one(field));
    return Fields::get(before, field);
  }
  /// Threads may share the word.
  FATHOM_DEVICE
  u32 atomic_increment(int word, int field) const {
    return Fields::get(words.atomic_add(word, Fields::one(field)), field);
  }
  FATHOM_DEVICE
  static u32 add(u32 a, u32 b) { return a + b; }
};

}  // namespace fathom
