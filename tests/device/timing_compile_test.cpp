// The kernel of timing_on_gpu_test.cpp compiles for every supported architecture, and reads both timers.
// Needs no GPU.
#include "../support/need_compiler.h"
#include "spin.h"

#include <fathom/device/cuda/cuda_executor.h>

#include <catch2/catch.hpp>

namespace fathom {
std::span<const HeaderText> contract_kernel_headers();  // generated: cmake/EmbedText.cmake
}

using namespace fathom;

TEST_CASE("the kernel of known duration compiles for every supported architecture") {
  tests::need_compiler();
  const Launch launch = make_launch<timing_kernels::Spin, contract_kernel_headers>(1, {32});
  for (const int architecture : {75, 80, 86, 90, 100, 120}) {
    INFO("sm_" << architecture);
    CompiledKernel compiled;
    CHECK_NOTHROW(compiled = compile_kernel(launch.source(), 32, architecture));
    CHECK(compiled.cubin.size() > 1000);
  }
}
