// What executors need to know about a kernel, derived from the type of its struct.
#pragma once

#include <fathom/core/plan.h>
#include <fathom/device/contract/contract.h>

#include <initializer_list>
#include <string>
#include <type_traits>
#include <typeinfo>

namespace fathom {

/// The headers of a kernel, as text.
using HeaderTexts = std::span<const HeaderText> (*)();
/// For a kernel that includes only the contract.
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

/// A kernel's template arguments in CUDA source: every Number becomes the next constant.
template <class Kernel>
struct TemplateArguments {
  static std::string text(std::span<const int>) { return ""; }
};
template <template <class...> class Kernel, class... Arguments>
struct TemplateArguments<Kernel<Arguments...>> {
  static std::string text(std::span<const int> constants) {
    std::string list;
    std::size_t next = 0;
    const auto add = [&](bool number, const std::type_info& type) {
      list += (list.empty() ? "" : ", ") +
              (number ? "fathom::Constant<" + std::to_string(constants[next++]) + ">" : type_name(type));
    };
    (add(std::is_same_v<Arguments, Number>, typeid(Arguments)), ...);
    return "<" + list + ">";
  }
};

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
        const std::string whole = type_name(typeid(Kernel));
        KernelSource source{
            "", whole.substr(0, whole.find('<')) + detail::TemplateArguments<Kernel>::text(constants),
            headers()};
        if constexpr (requires { Kernel::header; }) source.header = Kernel::header;
        return source;
      },
      {sizeof(Kernel), [](const void* kernel, Block& block) { (*static_cast<const Kernel*>(kernel))(block); },
       blocks_communicate<Kernel>()}};
  return info;
}

/// The kernel under a name of its own, "MergeRuns<16>": for plans that launch it with several values of a
/// constant, each of which has its own work.
const KernelInfo& variant_of(const KernelInfo& kernel, int constant);

template <class Kernel, HeaderTexts headers = no_headers>
Launch make_launch(Index blocks, BlockShape shape, std::initializer_list<int> constants = {},
                   double repeats = 1, double elements = 0) {
  Launch launch{.kernel = &kernel_info<Kernel, headers>(),
                .blocks = blocks,
                .shape = shape,
                .repeats = repeats,
                .elements = elements};
  for (int constant : constants) launch.constants.at(std::size_t(launch.constant_count++)) = constant;
  return launch;
}

}  // namespace fathom
