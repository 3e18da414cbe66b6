// SPDX-License-Identifier: Apache-2.0
// The contract kernels, and the kernel of timing_on_gpu_test.cpp, compile for every architecture.
// Needs no GPU.
#include "../../support/skip.h"
#include "../spin.h"
#include "contract_cases.h"

#include <fathom/device/cuda/compiler/nvrtc.h>
#include <fathom/model/architectures.h>

#include <catch2/catch.hpp>

#include <algorithm>

namespace fathom {
std::span<const HeaderText> contract_kernel_headers();  // generated: cmake/EmbedText.cmake
}

using namespace fathom;

TEST_CASE("every contract kernel compiles for every architecture that the compiler knows") {
  tests::need_compiler();
  std::vector<std::pair<std::string, Launch>> launches{
      {"Spin", make_launch<timing_kernels::Spin, contract_kernel_headers>(1, {32})}};
  for (const ContractCase& each : contract_cases()) launches.emplace_back(each.name, each.launch);
  for (const Architecture& on : architectures()) {
    if (!on.compiled_by(nvrtc::version())) continue;
    for (const auto& [name, launch] : launches) {
      INFO("sm_" << on.compute_capability << " " << name);
      CompiledKernel compiled;
      CHECK_NOTHROW(compiled = compile_kernel(launch.source(), launch.shape.threads, on.compute_capability));
      CHECK(compiled.cubin.size() > 1000);
    }
  }
}

TEST_CASE("an architecture that the compiler does not know is refused with the one that does") {
  tests::need_compiler();
  const auto unknown = std::ranges::find_if(
      architectures(), [](const Architecture& on) { return !on.compiled_by(nvrtc::version()); });
  REQUIRE(unknown != architectures().end());  // 13.0 dropped 7.0 and brought 11.0
  const Launch launch = make_launch<timing_kernels::Spin, contract_kernel_headers>(1, {32});
  CHECK_THROWS_WITH(
      compile_kernel(launch.source(), 32, unknown->compute_capability),
      Catch::Matchers::Contains("does not compile for sm_" + std::to_string(unknown->compute_capability)) &&
          Catch::Matchers::Contains("set FATHOM_NVRTC to the file of one of"));
}
