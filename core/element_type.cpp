// SPDX-License-Identifier: Apache-2.0
#include <fathom/core/element_type.h>

#include <algorithm>
#include <array>

namespace fathom {
namespace {

struct TypeInfo {
  std::string_view name;
  int bytes;
};

#define FATHOM_VERIFY(entry, Type)                                                    \
  static_assert(Element<Type>::name == std::string_view(#entry), "two names differ"); \
  static_assert(KeyElement<Type> || SummandElement<Type>, "see element.h");
FATHOM_ELEMENT_TYPES(FATHOM_VERIFY)
#undef FATHOM_VERIFY

template <class... Each>
constexpr std::array<TypeInfo, sizeof...(Each)> infos(Types<Each...>) {
  return {{{Element<Each>::name, int(sizeof(Each))}...}};
}
constexpr auto types = infos(ElementTypes{});

}  // namespace

std::string_view name(ElementType type) {
  return types.at(std::size_t(type)).name;
}

int size_in_bytes(ElementType type) {
  return types.at(std::size_t(type)).bytes;
}

ElementType unsigned_like(ElementType type) {
  return size_in_bytes(type) <= 4 ? ElementType::u32 : ElementType::u64;
}

ElementType parse_element_type(std::string_view text) {
  std::string names;
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (types[i].name == text) return ElementType(i);
    names.append(names.empty() ? "" : ", ").append(types[i].name);
  }
  throw std::invalid_argument("unknown element type '" + std::string(text) + "': choose one of " + names);
}

bool is_key_type(ElementType type) {
  const auto keys = element_types(KeyElements{});
  return std::find(keys.begin(), keys.end(), type) != keys.end();
}

bool are_equal_keys_identical(ElementType type) {
  return with_element_type(ElementTypes{}, type,
                           []<class T>(std::type_identity<T>) { return std::is_integral_v<T>; });
}

}  // namespace fathom
