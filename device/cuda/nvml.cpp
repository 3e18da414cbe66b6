// SPDX-License-Identifier: Apache-2.0
#include <fathom/device/cuda/nvml.h>

#include <dlfcn.h>

namespace fathom {

Nvml::Nvml(const char* library)
    : library_(dlopen(library, RTLD_NOW | RTLD_LOCAL)), initialised_(call("nvmlInit_v2")) {}

Nvml::~Nvml() {
  if (initialised_) call("nvmlShutdown");
  if (library_) dlclose(library_);
}

void* Nvml::symbol(const char* function) const {
  return library_ ? dlsym(library_, function) : nullptr;
}

}  // namespace fathom
