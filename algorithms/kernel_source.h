// Naming a kernel struct's specialisation for run-time compilation.
#pragma once

#include <fathom/device/executor.h>

#include <string>

namespace fathom {

/// Every header under algorithms/ that kernels are made of, as text (generated at build time).
std::span<const HeaderText> kernel_headers();

/// How a type is called in CUDA source. Specialise it for a comparator or operator of your own.
template <class T>
struct TypeName;
template <>
struct TypeName<u32> {
  static constexpr const char* text = "fathom::u32";
};
template <>
struct TypeName<u64> {
  static constexpr const char* text = "fathom::u64";
};
template <>
struct TypeName<f32> {
  static constexpr const char* text = "fathom::f32";
};
template <>
struct TypeName<f64> {
  static constexpr const char* text = "fathom::f64";
};
template <>
struct TypeName<Pair> {
  static constexpr const char* text = "fathom::Pair";
};
template <>
struct TypeName<Less> {
  static constexpr const char* text = "fathom::Less";
};
template <>
struct TypeName<Greater> {
  static constexpr const char* text = "fathom::Greater";
};
template <>
struct TypeName<Plus> {
  static constexpr const char* text = "fathom::Plus";
};
template <>
struct TypeName<Minimum> {
  static constexpr const char* text = "fathom::Minimum";
};
template <>
struct TypeName<Maximum> {
  static constexpr const char* text = "fathom::Maximum";
};

/// kernel_source<Key, Less>("…/sort_tiles.h", "SortTiles", 128, 15) names
/// fathom::SortTiles<Key, Less, fathom::Constant<128>, fathom::Constant<15>>.
template <class... Types, class... Constants>
KernelSource kernel_source(const std::string& header, const std::string& name, Constants... constants) {
  std::string arguments;
  const auto add = [&](const std::string& argument) {
    arguments += (arguments.empty() ? "" : ", ") + argument;
  };
  (add(TypeName<Types>::text), ...);
  (add("fathom::Constant<" + std::to_string(constants) + ">"), ...);
  return {"fathom/algorithms/" + header, "fathom::" + name + "<" + arguments + ">", kernel_headers()};
}

}  // namespace fathom
