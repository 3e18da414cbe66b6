// From an element type's value to the type itself, for the types that kernels are instantiated with on the
// host.
#pragma once

#include <fathom/device/contract_types.h>
#include <fathom/model/formula.h>

#include <stdexcept>
#include <type_traits>

namespace fathom {

/// Calls `function(std::type_identity<T>)`. Throws std::invalid_argument for a type without kernels.
template <class Function>
auto with_element_type(ElementType type, Function function) {
  switch (type) {
    case ElementType::u32:
      return function(std::type_identity<u32>{});
    case ElementType::u64:
      return function(std::type_identity<u64>{});
    default:
      throw std::invalid_argument("there is no kernel for the type " + std::string(name(type)) +
                                  ": use u32 or u64");
  }
}

}  // namespace fathom
