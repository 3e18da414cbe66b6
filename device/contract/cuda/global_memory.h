// SPDX-License-Identifier: Apache-2.0
// Spans over global memory under CUDA: raw pointers, each member one access.
#pragma once

#include <fathom/device/contract/types.h>

namespace fathom {

template <class T>
struct RemoveConst {
  using type = T;
};
template <class T>
struct RemoveConst<const T> {
  using type = T;
};

struct FourWords {
  u32 word[4];
};

template <class T>
struct Span {
  using Value = typename RemoveConst<T>::type;
  T* data;
  u64 count;  // the counting executor checks bounds

  FATHOM_DEVICE
  Value load(Index i) const { return data[i]; }
  FATHOM_DEVICE
  void store(Index i, const Value& value) const { data[i] = value; }
  template <int width>
  FATHOM_DEVICE
  Vector<Value, width> load_vector(Index i) const {
    return *reinterpret_cast<const Vector<Value, width>*>(data + i);
  }
  template <int width>
  FATHOM_DEVICE
  void store_vector(Index i, const Vector<Value, width>& value) const {
    *reinterpret_cast<Vector<Value, width>*>(data + i) = value;
  }
  /// The L2 evicts these data first: the device should not read them again soon.
  template <int width>
  FATHOM_DEVICE
  void store_vector_streaming(Index i, const Vector<Value, width>& value) const {
    if constexpr (sizeof(value) == 16) {
      const auto words = __builtin_bit_cast(FourWords, value);
      asm volatile("st.global.cs.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(data + i), "r"(words.word[0]),
                   "r"(words.word[1]), "r"(words.word[2]), "r"(words.word[3])
                   : "memory");
    } else {
      store_vector<width>(i, value);
    }
  }
  FATHOM_DEVICE
  Span from(Index offset) const { return {data + offset, count - offset}; }
  /// Never torn, and eventually sees what other blocks stored; not ordered with the thread's other accesses.
  FATHOM_DEVICE
  Value load_relaxed(Index i) const {
    static_assert(sizeof(Value) == 4 || sizeof(Value) == 8, "one access must move the whole element");
    if constexpr (sizeof(Value) == 4) {
      u32 word;
      asm volatile("ld.relaxed.gpu.u32 %0, [%1];" : "=r"(word) : "l"(data + i));
      return __builtin_bit_cast(Value, word);
    } else {
      u64 word;
      asm volatile("ld.relaxed.gpu.u64 %0, [%1];" : "=l"(word) : "l"(data + i));
      return __builtin_bit_cast(Value, word);
    }
  }
  FATHOM_DEVICE
  void store_relaxed(Index i, const Value& value) const {
    static_assert(sizeof(Value) == 4 || sizeof(Value) == 8, "one access must move the whole element");
    if constexpr (sizeof(Value) == 4)
      asm volatile("st.relaxed.gpu.u32 [%0], %1;" ::"l"(data + i), "r"(__builtin_bit_cast(u32, value)));
    else
      asm volatile("st.relaxed.gpu.u64 [%0], %1;" ::"l"(data + i), "l"(__builtin_bit_cast(u64, value)));
  }
  // Atomics that order nothing else; each returns the value before.
  FATHOM_DEVICE
  Value atomic_add_relaxed(Index i, Value value) const { return atomicAdd(atomic(i), value); }
  FATHOM_DEVICE
  Value atomic_or_relaxed(Index i, Value value) const { return atomicOr(atomic(i), value); }
  FATHOM_DEVICE
  Value atomic_min_relaxed(Index i, Value value) const { return atomicMin(atomic(i), value); }
  FATHOM_DEVICE
  Value atomic_max_relaxed(Index i, Value value) const { return atomicMax(atomic(i), value); }
  FATHOM_DEVICE
  Value atomic_exchange_relaxed(Index i, Value value) const { return atomicExch(atomic(i), value); }
  /// Accesses that follow it in the program also follow it in memory, for all blocks of the device.
  FATHOM_DEVICE
  Value load_acquire(Index i) const {
    static_assert(sizeof(Value) == 4 || sizeof(Value) == 8, "one access must move the whole element");
    if constexpr (sizeof(Value) == 4) {
      u32 word;
      asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(word) : "l"(data + i) : "memory");
      return __builtin_bit_cast(Value, word);
    } else {
      u64 word;
      asm volatile("ld.acquire.gpu.u64 %0, [%1];" : "=l"(word) : "l"(data + i) : "memory");
      return __builtin_bit_cast(Value, word);
    }
  }
  /// Accesses that precede it in the program also precede it in memory, for any thread that acquires the
  /// value.
  FATHOM_DEVICE
  void store_release(Index i, const Value& value) const {
    static_assert(sizeof(Value) == 4 || sizeof(Value) == 8, "one access must move the whole element");
    if constexpr (sizeof(Value) == 4)
      asm volatile("st.release.gpu.u32 [%0], %1;" ::"l"(data + i), "r"(__builtin_bit_cast(u32, value))
                   : "memory");
    else
      asm volatile("st.release.gpu.u64 [%0], %1;" ::"l"(data + i), "l"(__builtin_bit_cast(u64, value))
                   : "memory");
  }

 private:
  FATHOM_DEVICE
  T* atomic(Index i) const {
    static_assert(has_atomics<T>, "atomics work on u32, i32 and u64");
    return data + i;
  }
};

}  // namespace fathom
