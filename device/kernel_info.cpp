// SPDX-License-Identifier: Apache-2.0
#include <cxxabi.h>
#include <fathom/device/kernel_info.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>

namespace fathom {

std::string type_name(const std::type_info& type) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(type.name(), nullptr, nullptr, &status), &std::free);
  return status == 0 ? text.get() : type.name();
}

std::string struct_name(const std::string& type_name) {
  const std::string name = type_name.substr(0, type_name.find('<'));
  const auto scope = name.rfind(':');
  return scope == name.npos ? name : name.substr(scope + 1);
}

KernelSource detail::kernel_source(const std::type_info& type, const char* header,
                                   std::span<const std::type_info* const> arguments,
                                   std::span<const int> constants, std::span<const HeaderText> headers) {
  const std::string whole = type_name(type);
  std::string list;
  auto constant = constants.begin();
  for (const std::type_info* argument : arguments)
    list += (list.empty() ? "" : ", ") + (*argument == typeid(Number)
                                              ? "fathom::Constant<" + std::to_string(*constant++) + ">"
                                              : type_name(*argument));
  if (!arguments.empty()) list = "<" + list + ">";
  return {header, whole.substr(0, whole.find('<')) + list, headers};
}

const KernelInfo& variant_of(const KernelInfo& kernel, int constant) {
  static std::mutex mutex;
  static std::map<std::pair<const KernelInfo*, int>, KernelInfo> variants;
  const std::lock_guard lock(mutex);
  if (const auto known = variants.find({&kernel, constant}); known != variants.end()) return known->second;
  KernelInfo named = kernel;
  named.name += "<" + std::to_string(constant) + ">";
  return variants.emplace(std::pair(&kernel, constant), std::move(named)).first->second;
}

Launch make_launch(const KernelInfo& kernel, Index blocks, BlockShape shape,
                   std::initializer_list<int> constants, double repeats, double elements) {
  Launch launch{
      .kernel = &kernel, .blocks = blocks, .shape = shape, .repeats = repeats, .elements = elements};
  for (int constant : constants) launch.constants.at(std::size_t(launch.constant_count++)) = constant;
  return launch;
}

}  // namespace fathom
