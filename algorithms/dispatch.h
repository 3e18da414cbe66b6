// From an element type's value to the type itself, for the types that kernels are instantiated with on the
// host.
#pragma once

#include <fathom/device/contract_types.h>
#include <fathom/model/formula.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace fathom {

/// The types that a family of algorithms is instantiated for.
template <class... Each>
struct Types {};
using KeyTypes = Types<u32, u64>;                    ///< of the sorts
using ValueTypes = Types<u32, u64, f32, f64, Pair>;  ///< of reductions and scans

template <class T>
inline constexpr std::optional<ElementType> element_type_of = std::nullopt;
template <>
inline constexpr std::optional<ElementType> element_type_of<u32> = ElementType::u32;
template <>
inline constexpr std::optional<ElementType> element_type_of<u64> = ElementType::u64;
template <>
inline constexpr std::optional<ElementType> element_type_of<f32> = ElementType::f32;
template <>
inline constexpr std::optional<ElementType> element_type_of<f64> = ElementType::f64;
template <>
inline constexpr std::optional<ElementType> element_type_of<Pair> = ElementType::pair;

template <class... Each>
std::vector<ElementType> element_types(Types<Each...>) {
  return {element_type_of<Each>.value()...};
}

/// Calls `function(std::type_identity<T>)`, T being the one of the types that `type` stands for. Throws
/// std::invalid_argument for a type that is not among them.
template <class Function, class First, class... Others>
auto with_element_type(Types<First, Others...>, ElementType type, Function function) {
  if (element_type_of<First> == type) return function(std::type_identity<First>{});
  if constexpr (sizeof...(Others) > 0)
    return with_element_type(Types<Others...>{}, type, function);
  else
    throw std::invalid_argument("there is no kernel for the type " + std::string(name(type)) +
                                ": fathom algorithms lists those that there are");
}

}  // namespace fathom
