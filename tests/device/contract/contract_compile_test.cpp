// SPDX-License-Identifier: Apache-2.0
// The contract kernels, and the kernel of timing_on_gpu_test.cpp, compile for every supported architecture.
// Needs no GPU.
#include "../../support/skip.h"
#include "../spin.h"
#include "contract_cases.h"

#include <fathom/device/cuda/cuda_executor.h>
#include <fathom/model/architectures.h>

#include <catch2/catch.hpp>

namespace fathom {
std::span<const HeaderText> contract_kernel_headers();  // generated: cmake/EmbedText.cmake
}

using namespace fathom;

TEST_CASE("every contract kernel compiles for every supported architecture") {
  tests::need_compiler();
  std::vector<std::pair<std::string, Launch>> launches{
      {"Spin", make_launch<timing_kernels::Spin, contract_kernel_headers>(1, {32})}};
  for (const ContractCase& each : contract_cases()) launches.emplace_back(each.name, each.launch);
  for (const int architecture : supported_architectures(Support::compiled))
    for (const auto& [name, launch] : launches) {
      INFO("sm_" << architecture << " " << name);
      CompiledKernel compiled;
      CHECK_NOTHROW(compiled = compile_kernel(launch.source(), launch.shape.threads, architecture));
      CHECK(compiled.cubin.size() > 1000);
    }
}
