#include <fathom/device/cuda/driver_version.h>

#include <dlfcn.h>

namespace fathom {

// NVML comes with the driver, and Fathom must start without one, so the library is loaded at run time. Its
// header is an optional part of the toolkit, so the types of the three functions, which belong to a stable C
// interface, are spelled out here.
std::string driver_version() {
  using Plain = int();
  using AskText = int(char* text, unsigned length);
  constexpr int success = 0;

  void* library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) return "unknown";
  const auto initialise = reinterpret_cast<Plain*>(dlsym(library, "nvmlInit_v2"));
  const auto ask = reinterpret_cast<AskText*>(dlsym(library, "nvmlSystemGetDriverVersion"));
  const auto shut_down = reinterpret_cast<Plain*>(dlsym(library, "nvmlShutdown"));
  std::string version = "unknown";
  if (initialise && ask && shut_down && initialise() == success) {
    char text[96] = {};
    if (ask(text, sizeof text) == success) version = text;
    shut_down();
  }
  dlclose(library);
  return version;
}

}  // namespace fathom
