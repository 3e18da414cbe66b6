// SPDX-License-Identifier: Apache-2.0
// Libraries that are no run-time compiler for Fathom. Needs none.
#include "../support/environment.h"
#include "../support/error_of.h"

#include <fathom/device/cuda/cuda_executor.h>

#include <catch2/catch.hpp>

using namespace fathom;
using Catch::Matchers::Contains;

TEST_CASE("a run-time compiler that is missing, too old or none is refused with both ways out") {
  const auto [file, reason] = GENERATE(table<const char*, const char*>(
      {{"/nowhere/libnvrtc.so.13", "FATHOM_NVRTC names no library: /nowhere/libnvrtc.so.13"},
       {OLD_NVRTC, OLD_NVRTC " is version 12.4, too old"},
       {FAKE_NVML, FAKE_NVML " has no function nvrtcVersion"}}));
  const tests::Environment named("FATHOM_NVRTC", file);
  const std::string refusal =
      tests::error_of<DeviceUnavailable>([] { compile_cuda("__global__ void nothing() {}", "nothing", 90); });
  CHECK_THAT(refusal, Contains(reason) && Contains("install the CUDA toolkit") &&
                          Contains("pip install nvidia-cuda-nvrtc, or set FATHOM_NVRTC") && !Contains("\n"));
}
