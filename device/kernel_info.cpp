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

const KernelInfo& variant_of(const KernelInfo& kernel, int constant) {
  static std::mutex mutex;
  static std::map<std::pair<const KernelInfo*, int>, KernelInfo> variants;
  const std::lock_guard lock(mutex);
  KernelInfo named = kernel;
  named.name += "<" + std::to_string(constant) + ">";
  return variants.try_emplace({&kernel, constant}, std::move(named)).first->second;
}

}  // namespace fathom
