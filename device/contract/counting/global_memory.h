// SPDX-License-Identifier: Apache-2.0
// Spans over global memory on the CPU: every access is checked and counted.
#pragma once

#include <fathom/device/contract/counting/accesses.h>

#include <atomic>
#include <cstddef>
#include <cstring>
#include <type_traits>

namespace fathom {

template <class T>
struct Span {
  using Value = std::remove_const_t<T>;
  using Where = counting::Where;
  T* data;
  u64 count;

  Value load(Index i, Where where = Where::current()) const {
    return *at(counting::Access::global_load, i, 1, where);
  }
  void store(Index i, const Value& value, Where where = Where::current()) const {
    *at(counting::Access::global_store, i, 1, where) = value;
  }
  template <int width>
  Vector<Value, width> load_vector(Index i, Where where = Where::current()) const {
    Vector<Value, width> vector;
    std::memcpy(vector.element, aligned<width>(at(counting::Access::global_load, i, width, where), where),
                sizeof vector);
    return vector;
  }
  template <int width>
  void store_vector(Index i, const Vector<Value, width>& vector, Where where = Where::current()) const {
    std::memcpy(aligned<width>(at(counting::Access::global_store, i, width, where), where), vector.element,
                sizeof vector);
  }
  template <int width>
  void store_vector_streaming(Index i, const Vector<Value, width>& vector,
                              Where where = Where::current()) const {
    store_vector<width>(i, vector, where);
  }
  /// A value that another thread may still have to store; kernels call this until it has. Blocks that
  /// communicate run one after another, so plain accesses suffice.
  Value load_acquire(Index i, Where where = Where::current()) const {
    const T* const element = at(counting::Access::global_load, i, 1, where);
    counting::polled(element, where);
    return *element;
  }
  void store_release(Index i, const Value& value, Where where = Where::current()) const {
    store(i, value, where);
  }
  Value load_relaxed(Index i, Where where = Where::current()) const { return load_acquire(i, where); }
  void store_relaxed(Index i, const Value& value, Where where = Where::current()) const {
    store(i, value, where);
  }
  Value atomic_add_relaxed(Index i, Value value, Where where = Where::current()) const {
    return atomic(i, value, counting::Add{}, where);
  }
  Value atomic_or_relaxed(Index i, Value value, Where where = Where::current()) const {
    return atomic(i, value, counting::Or{}, where);
  }
  Value atomic_min_relaxed(Index i, Value value, Where where = Where::current()) const {
    return atomic(i, value, Minimum{}, where);
  }
  Value atomic_max_relaxed(Index i, Value value, Where where = Where::current()) const {
    return atomic(i, value, Maximum{}, where);
  }
  Value atomic_exchange_relaxed(Index i, Value value, Where where = Where::current()) const {
    return atomic(i, value, counting::Second{}, where);
  }
  Span from(Index offset, Where where = Where::current()) const {
    if (offset < 0 || u64(offset) > count) counting::out_of_bounds("global", offset, Index(count), where);
    return {data + offset, count - u64(offset)};
  }

 private:
  friend class Block;
  T* at(counting::Access access, Index i, int width, Where where) const {
    if (i < 0 || u64(i) + u64(width) > count) counting::out_of_bounds("global", i, Index(count), where);
    counting::global_access(access, data + i, sizeof(T) * std::size_t(width), where);
    return data + i;
  }
  /// Blocks run in parallel on the host, too, so this needs a real atomic.
  template <class Operator>
  Value atomic(Index i, Value value, Operator combine, Where where) const {
    static_assert(has_atomics<T>, "atomics work on u32, i32 and u64");
    const std::atomic_ref<T> element(*at(counting::Access::global_atomic, i, 1, where));
    T before = element.load();
    while (!element.compare_exchange_weak(before, combine(before, value))) {
    }
    return before;
  }
  template <int width>
  T* aligned(T* first, Where where) const {
    constexpr std::size_t alignment = alignof(Vector<Value, width>);
    if (std::size_t(first) % alignment != 0) counting::misaligned(alignment, where);
    return first;
  }
};

}  // namespace fathom
