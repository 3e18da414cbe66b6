// Libraries that are no run-time compiler for Fathom. Needs none.
#include <fathom/device/cuda/cuda_executor.h>

#include <catch2/catch.hpp>

#include <cstdlib>

using namespace fathom;
using Catch::Matchers::Contains;

namespace {

/// $FATHOM_NVRTC is this while it exists.
class NamedCompiler {
 public:
  explicit NamedCompiler(const char* file) {
    if (const char* own = std::getenv(variable)) own_ = own;
    ::setenv(variable, file, 1);
  }
  ~NamedCompiler() { own_ ? ::setenv(variable, own_->c_str(), 1) : ::unsetenv(variable); }

 private:
  static constexpr const char* variable = "FATHOM_NVRTC";
  std::optional<std::string> own_;
};

std::string refusal() {
  try {
    compile_cuda("__global__ void nothing() {}", "nothing", 90);
  } catch (const DeviceUnavailable& unavailable) {
    return unavailable.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a run-time compiler that is missing, too old or none is refused with both ways out") {
  const auto [file, reason] = GENERATE(table<const char*, const char*>(
      {{"/nowhere/libnvrtc.so.13", "FATHOM_NVRTC names no library: /nowhere/libnvrtc.so.13"},
       {OLD_NVRTC, OLD_NVRTC " is version 12.4, too old"},
       {FAKE_NVML, FAKE_NVML " has no function nvrtcVersion"}}));
  const NamedCompiler named(file);
  CHECK_THAT(refusal(), Contains(reason) && Contains("install the CUDA toolkit") &&
                            Contains("pip install nvidia-cuda-nvrtc and set FATHOM_NVRTC") &&
                            !Contains("\n"));
}
