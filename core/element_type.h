// SPDX-License-Identifier: Apache-2.0
// Element types as values: their names and sizes, and dispatch to the types.
#pragma once

#include <fathom/core/elements/elements.h>

#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace fathom {

std::string_view name(ElementType type);
ElementType parse_element_type(std::string_view text);  ///< throws std::invalid_argument naming the choices
int size_in_bytes(ElementType type);
inline double words(ElementType type) {
  return size_in_bytes(type) / 4.0;
}
/// The unsigned type of the size nearest to that of `type`, whose kernels do much the same.
ElementType unsigned_like(ElementType type);

namespace detail {
template <class T, class... Each>
consteval int index_in(Types<Each...>) {
  int index = 0;
  static_cast<void>(((std::is_same_v<T, Each> ? false : (++index, true)) && ...));
  return index;
}
}  // namespace detail

template <class T>
inline constexpr ElementType element_type_of = ElementType(detail::index_in<T>(ElementTypes{}));

namespace detail {
template <class... Lists>
struct Concatenation;
template <class... Each>
struct Concatenation<Types<Each...>> {
  using type = Types<Each...>;
};
template <class... Some, class... More, class... Lists>
struct Concatenation<Types<Some...>, Types<More...>, Lists...>
    : Concatenation<Types<Some..., More...>, Lists...> {};

template <class List>
struct WithRole;
template <class... Each>
struct WithRole<Types<Each...>> {
  using Keys = typename Concatenation<std::conditional_t<KeyElement<Each>, Types<Each>, Types<>>...>::type;
  using Summands =
      typename Concatenation<std::conditional_t<SummandElement<Each>, Types<Each>, Types<>>...>::type;
};
}  // namespace detail

using KeyElements = detail::WithRole<ElementTypes>::Keys;  ///< the types that sorts take
using SummandElements =
    detail::WithRole<ElementTypes>::Summands;  ///< the types that reductions and scans take

/// True if the type has an order to sort by.
bool is_key_type(ElementType type);
/// True if keys that are equal in order are the same, as integers are; -0 and +0 or 1/2 and 2/4 are not.
bool are_equal_keys_identical(ElementType type);

template <class... Each>
std::vector<ElementType> element_types(Types<Each...>) {
  return {element_type_of<Each>...};
}

/// Calls `function(std::type_identity<T>)` with the type T that `type` denotes. Throws std::invalid_argument
/// if it is not in the list.
template <class Function, class First, class... Others>
auto with_element_type(Types<First, Others...>, ElementType type, Function function) {
  if (element_type_of<First> == type) return function(std::type_identity<First>{});
  if constexpr (sizeof...(Others) > 0)
    return with_element_type(Types<Others...>{}, type, function);
  else
    throw std::invalid_argument("there is no kernel for the type " + std::string(name(type)) +
                                ": fathom algorithms lists the supported types");
}

}  // namespace fathom
