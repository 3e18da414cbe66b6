// SPDX-License-Identifier: Apache-2.0
// The block contract costs next to nothing in machine code.
#include "../hardware/plain_scan_chunks.h"
#include "../support/skip.h"

#include <fathom/algorithms/launch.h>
#include <fathom/algorithms/scan/matrix/scan_chunks.h>
#include <fathom/device/code/cubin.h>
#include <fathom/device/cuda/cuda_executor.h>

#include <catch2/catch.hpp>

using namespace fathom;
using Catch::Matchers::Contains;

TEST_CASE(
    "a kernel through the contract takes the registers and instructions of a plain __global__ function") {
  tests::need_compiler();
  const Launch launch = launch_of<ScanChunks<u32, Plus, Exclusive>>(0, 1, {256}, {256, 8});
  for (const int architecture : {80, 90, 120}) {
    const KernelCode contract = read_cubin(compile_kernel(launch.source(), 256, architecture).cubin);
    const KernelCode plain =
        read_cubin(compile_cuda(plain_scan_chunks, "plain_scan_chunks", architecture).cubin);
    INFO("sm_" << architecture);
    CHECK(contract.local_bytes == 0);
    CHECK(contract.registers <= plain.registers + 2);
    // Code comes in pieces of 128 bytes.
    CHECK(double(contract.code_bytes) <= 1.05 * double(plain.code_bytes) + 128);
  }
}

TEST_CASE("registers that do not suffice show as local memory") {
  tests::need_compiler();
  constexpr char text[] = R"(
    __global__ void __launch_bounds__(1024) spill(const float* in, float* out) {
      float x[200];
      for (int i = 0; i < 200; ++i) x[i] = in[i * 1024 + threadIdx.x];
      for (int i = 0; i < 200; ++i) out[(x[199 - i] > 0 ? i : 0) * 1024 + threadIdx.x] = x[i] * x[199 - i];
    })";
  const KernelCode code = read_cubin(compile_cuda(text, "spill", 90).cubin);
  CHECK(code.registers <= 64);
  CHECK(code.local_bytes > 0);
}

TEST_CASE("what is not a cubin is refused, wherever it is cut") {
  tests::need_compiler();
  const std::vector<char> cubin =
      compile_cuda("__global__ void nothing(int* out) { *out = 1; }", "nothing", 90).cubin;
  CHECK(read_cubin(cubin).code_bytes > 0);
  CHECK_THROWS_WITH(read_cubin(std::string("neither ELF nor long enough")), Contains("not the machine code"));
  for (std::size_t length = 0; length < cubin.size(); length += 7) {
    try {
      const KernelCode code = read_cubin({cubin.data(), length});
      CHECK(code.code_bytes > 0);
      CHECK(code.registers > 0);
    } catch (const std::invalid_argument&) {
    }
  }
}
