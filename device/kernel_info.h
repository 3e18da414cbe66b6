// SPDX-License-Identifier: Apache-2.0
// The description of a kernel that executors read, derived from the type of its struct.
#pragma once

#include <fathom/core/plan.h>
#include <fathom/device/contract/contract.h>

#include <array>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <typeinfo>

namespace fathom {

/// The headers of a kernel, as text.
using HeaderTexts = std::span<const HeaderText> (*)();
/// A kernel that includes only the contract has no headers of its own.
inline std::span<const HeaderText> no_headers() {
  return {};
}

/// "fathom::BlockSort<unsigned int, fathom::Less, …>": a type as C++ spells it.
std::string type_name(const std::type_info& type);
/// "fathom::BlockSort<unsigned int, …>" → "BlockSort".
std::string struct_name(const std::string& type_name);

/// A kernel struct whose blocks pass values to each other declares it:
///     static constexpr bool blocks_communicate = true;
template <class Kernel>
constexpr bool blocks_communicate() {
  if constexpr (requires { Kernel::blocks_communicate; }) return Kernel::blocks_communicate;
  return false;
}

namespace detail {

/// The arguments of a kernel's template.
template <class Kernel>
struct TemplateArguments {
  static constexpr std::span<const std::type_info* const> types{};
};
template <template <class...> class Kernel, class... Arguments>
struct TemplateArguments<Kernel<Arguments...>> {
  static constexpr std::array<const std::type_info*, sizeof...(Arguments)> types{&typeid(Arguments)...};
};

template <class Kernel>
constexpr const char* header_of() {
  if constexpr (requires { Kernel::header; }) return Kernel::header;
  return "";
}

/// In CUDA source every argument that is a Number becomes the next constant.
KernelSource kernel_source(const std::type_info& type, const char* header,
                           std::span<const std::type_info* const> arguments, std::span<const int> constants,
                           std::span<const HeaderText> headers);

}  // namespace detail

/// The one KernelInfo of a kernel type. A kernel that runs on a GPU names the header that defines it:
///     static constexpr const char* header = "fathom/algorithms/…/block_sort.h";
/// and is compiled with `headers`.
template <class Kernel, HeaderTexts headers = no_headers>
const KernelInfo& kernel_info() {
  static_assert(std::is_trivially_copyable_v<Kernel>, "a kernel is passed to the device byte by byte");
  static const KernelInfo info{
      struct_name(type_name(typeid(Kernel))),
      &typeid(Kernel),
      [](std::span<const int> constants) {
        return detail::kernel_source(typeid(Kernel), detail::header_of<Kernel>(),
                                     detail::TemplateArguments<Kernel>::types, constants, headers());
      },
      {sizeof(Kernel), [](const void* kernel, Block& block) { (*static_cast<const Kernel*>(kernel))(block); },
       blocks_communicate<Kernel>()}};
  return info;
}

/// The kernel under a name of its own, "MergeRuns<16>": for plans that launch it with several values of a
/// constant, each of which has its own work.
const KernelInfo& variant_of(const KernelInfo& kernel, int constant);

Launch make_launch(const KernelInfo& kernel, Index blocks, BlockShape shape,
                   std::initializer_list<int> constants, double repeats, double elements);
template <class Kernel, HeaderTexts headers = no_headers>
Launch make_launch(Index blocks, BlockShape shape, std::initializer_list<int> constants = {},
                   double repeats = 1, double elements = 0) {
  return make_launch(kernel_info<Kernel, headers>(), blocks, shape, constants, repeats, elements);
}

}  // namespace fathom
