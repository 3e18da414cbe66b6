// SPDX-License-Identifier: Apache-2.0
// All element types. A new one needs a file in this folder, its include here, and its entry in the list.
#pragma once

#include <fathom/core/elements/numbers.h>
#include <fathom/core/elements/pair.h>
#include <fathom/core/elements/point.h>
#include <fathom/core/elements/rational.h>

/// The list: entry(name, Type) for each.
#define FATHOM_ELEMENT_TYPES(entry)                                                               \
  entry(u32, u32) entry(u64, u64) entry(i32, i32) entry(i64, i64) entry(f32, f32) entry(f64, f64) \
      entry(pair, Pair) entry(point, Point) entry(rational, Rational)

namespace fathom {

template <class... Each>
struct Types {};

namespace detail {
template <class First, class... Others>
struct AllButFirst {
  using type = Types<Others...>;
};
}  // namespace detail

#define FATHOM_TYPE(name, Type) , Type
using ElementTypes = detail::AllButFirst<void FATHOM_ELEMENT_TYPES(FATHOM_TYPE)>::type;
#undef FATHOM_TYPE

/// The same types as values, in the same order.
#define FATHOM_VALUE(name, Type) name,
enum class ElementType { FATHOM_ELEMENT_TYPES(FATHOM_VALUE) };
#undef FATHOM_VALUE

}  // namespace fathom
