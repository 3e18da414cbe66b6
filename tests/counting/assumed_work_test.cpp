// SPDX-License-Identifier: Apache-2.0
// The work of plain CUDA kernels from their machine code, beside what their source says.
#include "../support/skip.h"

#include <fathom/counting/assumed_work.h>
#include <fathom/device/cuda/cuda_executor.h>

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using namespace fathom;
using Catch::Matchers::Contains;

namespace {

constexpr const char* kernels = R"(
__global__ void copy(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i];
}
__global__ void wide(const float4* in, float4* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i];
}
__global__ void guarded(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];
}
__global__ void scaled(const float* in, const float* factor, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i] * *factor;
}
__global__ void summed(const float* in, float* out, int n) {
  float sum = 0;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 1
  for (int k = 0; k < n; ++k) sum += in[k * 1024 + i];
  out[i] = sum;
}
__global__ void summed_by_four(const float* in, float* out, int n) {
  float sum = 0;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 4
  for (int k = 0; k < n; ++k) sum += in[k * 1024 + i];
  out[i] = sum;
}
__global__ void __launch_bounds__(256) turned(const float* in, float* out) {
  __shared__ float part[256];
  part[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = part[255 - threadIdx.x];
}
__global__ void counted(const unsigned* in, unsigned* counts) {
  atomicAdd(counts + in[blockIdx.x * blockDim.x + threadIdx.x], 1u);
}
__global__ void waves(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = sinf(in[i]);
}
__global__ void product(const double* in, double* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i] * in[i];
}
)";

struct Compiled {
  CubinKernel kernel;
  Disassembly code;
};

Compiled compiled(const char* name, int architecture = 90) try {
  const std::vector<char> cubin = compile_cuda(kernels, name, architecture).cubin;
  for (const CubinKernel& kernel : kernels_of(cubin))
    if (short_name(kernel.symbol) == name) return {kernel, disassemble(cubin, kernel.index)};
  throw std::logic_error("the cubin does not have its kernel");
} catch (const DisassemblerUnavailable& unavailable) {
  tests::skip(unavailable.what());
}

/// Ten blocks of eight warps.
constexpr LaunchGrid launch{{10, 1, 1}, {256, 1, 1}};

AssumedWork assumed(const Compiled& of, const std::vector<GivenTurns>& turns = {}) {
  return assumed_work(of.kernel, of.code, launch, 0, turns);
}

/// Of the only loop.
std::vector<GivenTurns> turns(const AssumedWork& work, double number) {
  REQUIRE(work.loops.size() == 1);
  GivenTurns given;
  given.address = work.loops[0].address;
  given.turns = number;
  return {given};
}

struct Expected {
  const char* kernel;
  double Work::*demand;
  double of_a_block;
};

const Expected expected[] = {
    {"copy", &Work::bytes_read, 1024},
    {"copy", &Work::bytes_written, 1024},
    {"copy", &Work::sectors_read, 32},
    {"copy", &Work::global_lines, 16},
    {"copy", &Work::lines_read, 8},
    {"copy", &Work::global_waits, 1},
    {"copy", &Work::barriers, 0},
    {"wide", &Work::bytes_read, 4096},
    {"wide", &Work::global_lines, 64},
    {"guarded", &Work::bytes_read, 1024},
    {"guarded", &Work::bytes_written, 1024},
    {"scaled", &Work::bytes_read, 1024 + 8 * 4},  // each warp reads the factor
    {"scaled", &Work::sectors_read, 32 + 8},
    {"turned", &Work::shared_wavefronts, 16},
    {"turned", &Work::barriers, 1},
    {"turned", &Work::shared_waits, 1},
    {"waves", &Work::bytes_read, 1024},  // and no table for large arguments
    {"counted", &Work::atomics, 8},
    {"counted", &Work::atomic_sectors, 32},
};

}  // namespace

TEST_CASE("a kernel's machine code tells what its source does") {
  tests::need_compiler();
  for (const int architecture : {80, 90, 100})
    for (const Expected& one : expected) {
      CAPTURE(architecture, one.kernel);
      const AssumedWork work = assumed(compiled(one.kernel, architecture));
      INFO("demand number " << std::ranges::find(all_demands, one.demand, &Demand::value) -
                                   all_demands.begin());
      CHECK(work.launch.demand(one.demand) == one.of_a_block);
      CHECK(work.loops.empty());
      CHECK(work.unknown_opcodes.empty());
    }
}

TEST_CASE("a loop reads once for each turn, also where the compiler unrolls it") {
  tests::need_compiler();
  for (const char* name : {"summed", "summed_by_four"}) {
    const Compiled kernel = compiled(name);
    const AssumedWork once = assumed(kernel);
    for (const double number : {1.0, 4.0, 10.0, 1003.0}) {
      CAPTURE(name, number);
      const AssumedWork work = assumed(kernel, turns(once, number));
      CHECK(*work.launch.demand(&Work::bytes_read) == Approx(1024 * number));
      CHECK(*work.launch.demand(&Work::bytes_written) == Approx(1024));
    }
  }
}

TEST_CASE("shared memory, registers and the limit of a block come from the cubin") {
  tests::need_compiler();
  for (const int architecture : {80, 90, 100}) {
    CAPTURE(architecture);
    const Compiled turned = compiled("turned", architecture), copy = compiled("copy", architecture);
    CHECK(turned.kernel.shared_bytes == 1024);
    CHECK(turned.kernel.most_threads == 256);
    CHECK(turned.kernel.code.registers > 0);
    CHECK(copy.kernel.shared_bytes == 0);
    CHECK_FALSE(copy.kernel.most_threads);
  }
}

TEST_CASE("launches that cannot be are refused") {
  tests::need_compiler();
  const Compiled turned = compiled("turned");
  CHECK_THROWS_WITH(assumed_work(turned.kernel, turned.code, {{1, 1, 1}, {512, 1, 1}}, 0),
                    Contains("512 threads") && Contains("256"));
  CHECK_THROWS_WITH(assumed_work(turned.kernel, turned.code, launch, 300000), Contains("shared memory"));
  Compiled unknown = compiled("copy");
  unknown.code.compute_capability = 99;
  CHECK_THROWS_WITH(assumed(unknown), Contains("sm_99") && Contains("sm_90"));
}

TEST_CASE("arithmetic on doubles is told to the law") {
  tests::need_compiler();
  CHECK(assumed(compiled("product")).launch.fp64 == 8);
}
