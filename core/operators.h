// SPDX-License-Identifier: Apache-2.0
// Comparators for sorts, and associative operators for reductions and scans.
#pragma once

#include <fathom/core/elements/element.h>

namespace fathom {

struct Less {
  template <class T>
  FATHOM_DEVICE
  bool operator()(const T& a, const T& b) const { return a < b; }
};
struct Greater {
  template <class T>
  FATHOM_DEVICE
  bool operator()(const T& a, const T& b) const { return b < a; }
};

// Associative operators combine the elements of reductions and scans. The identity is a static template
// identity<T>(), so that one operator can serve all types.

/// Addition with its identity, 0. Sums of integers wrap, signed ones too; a floating-point sum depends on the
/// order of the additions.
struct Plus {
  template <class T>
  FATHOM_DEVICE
  T operator()(const T& a, const T& b) const { return a + b; }
  FATHOM_DEVICE
  i32 operator()(i32 a, i32 b) const { return i32(u32(a) + u32(b)); }
  FATHOM_DEVICE
  i64 operator()(i64 a, i64 b) const { return i64(u64(a) + u64(b)); }
  template <class T>
  FATHOM_DEVICE
  static constexpr T identity() { return T{}; }
};
struct Minimum {
  template <class T>
  FATHOM_DEVICE
  T operator()(const T& a, const T& b) const { return min(a, b); }
  template <class T>
  requires requires { Element<T>::greatest(); }
  FATHOM_DEVICE
  static constexpr T identity() { return Element<T>::greatest(); }
};
struct Maximum {
  template <class T>
  FATHOM_DEVICE
  T operator()(const T& a, const T& b) const { return max(a, b); }
  template <class T>
  requires requires { Element<T>::least(); }
  FATHOM_DEVICE
  static constexpr T identity() { return Element<T>::least(); }
};

template <class Operator, class T>
concept HasIdentity = requires {
  Operator::template identity<T>();
};

/// The operator's identity; a readable compile error if it has none.
template <class Operator, class T>
FATHOM_DEVICE
constexpr T identity_of() {
  static_assert(HasIdentity<Operator, T>,
                "this operator has no identity, which padding and empty inputs need: "
                "give it template <class T> static constexpr T identity()");
  if constexpr (HasIdentity<Operator, T>)
    return Operator::template identity<T>();
  else
    return T{};
}

}  // namespace fathom
