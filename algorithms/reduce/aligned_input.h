// SPDX-License-Identifier: Apache-2.0
// Reads an array of any alignment in accesses of 16 bytes.
#pragma once

#include <fathom/algorithms/block/load.h>

namespace fathom {

/// An array as whole vectors of 16 bytes, a head of the elements before the first 16-byte boundary and a tail
/// of those that do not fill a vector.
template <class T, class Operator>
struct AlignedInput {
  static constexpr int width = widest_vector<T>;  ///< elements of a vector
  using Vector = fathom::Vector<T, width>;

  Span<const T> elements;
  Index vectors;
  int head_count;

  /// Host only, where the address is available as a number.
  static AlignedInput of(Span<const T> elements) {
    const u64 beyond_boundary = reinterpret_cast<u64>(elements.data) % 16 / sizeof(T);
    const Index to_boundary = width > 1 ? Index((width - beyond_boundary) % width) : 0;
    const Index n = Index(elements.count), head = min(to_boundary, n);
    return {elements, (n - head) / width, int(head)};
  }

  FATHOM_DEVICE
  Vector load_whole(Index vector) const {
    if constexpr (width == 1)  // a type of 16 bytes need not be 16-byte aligned
      return {{elements.load(vector)}};
    else
      return elements.template load_vector<width>(head_count + vector * width);
  }

  /// Fills `read` with the vectors first, first + stride, …; identities from vector `end` on.
  template <class Count>
  FATHOM_DEVICE
  void load_many(Index first, Index stride, Index end, Count count, Registers<Vector, Count>& read) const {
    load_strided_until(
        read, count, first, stride, end, [&](Index vector) { return load_whole(vector); }, identities);
  }

  /// The tail is the elements from here on; the head those before head_count.
  FATHOM_DEVICE
  Index tail_begin() const { return head_count + vectors * width; }

  /// The combination of the elements [begin, end), one by one.
  FATHOM_DEVICE
  T combine(Index begin, Index end) const {
    T result = identity_of<Operator, T>();
    FATHOM_NO_UNROLL
    for (Index i = begin; i < end; ++i) result = Operator{}(result, elements.load(i));
    return result;
  }

  /// The combination of a vector's elements, in order.
  FATHOM_DEVICE
  static T combine_vector(const Vector& vector) {
    T result = vector.element[0];
    FATHOM_UNROLL
    for (int i = 1; i < width; ++i) result = Operator{}(result, vector.element[i]);
    return result;
  }

 private:
  FATHOM_DEVICE
  static Vector identities() {
    Vector vector;
    FATHOM_UNROLL
    for (int i = 0; i < width; ++i) vector.element[i] = identity_of<Operator, T>();
    return vector;
  }
};

}  // namespace fathom
