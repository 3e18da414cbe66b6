// SPDX-License-Identifier: Apache-2.0
// The contract kernels on a GPU, against the same results as on the CPU, and the effect of a carve-out.
// Skipped (exit code 77) without a GPU.
#include "../../support/skip.h"
#include "contract_cases.h"

#include <fathom/device/counting/counting_executor.h>
#include <fathom/device/cuda/cuda_executor.h>

#include <catch2/catch.hpp>

using namespace fathom;

namespace {

/// Each block stays for a while. Returns the largest number of blocks on one multiprocessor at a time.
constexpr char count_residents[] = R"(
extern __shared__ unsigned char shared[];
__global__ void count_residents(int* present, int* most) {
  if (threadIdx.x == 0) {
    unsigned multiprocessor;
    asm("mov.u32 %0, %smid;" : "=r"(multiprocessor));
    atomicMax(most, atomicAdd(&present[multiprocessor], 1) + 1);
    shared[0] = 1;
    const long long start = clock64();
    while (clock64() - start < 100000) {}
    atomicSub(&present[multiprocessor], 1);
  }
}
)";

struct NoKernel {
  template <class Block>
  void operator()(Block&) const {}
};

/// Resident blocks according to the counting executor.
int counted_residents(const GpuInfo& gpu, BlockShape shape) {
  CountingExecutor executor(
      {.limits = {.threads_per_multiprocessor = gpu.threads_per_multiprocessor,
                  .blocks_per_multiprocessor = gpu.blocks_per_multiprocessor,
                  .shared_bytes_per_multiprocessor = double(gpu.shared_bytes_per_multiprocessor),
                  .shared_bytes_per_block = double(gpu.shared_bytes_per_block),
                  .shared_bytes_reserved = double(gpu.shared_bytes_reserved)}});
  return executor.prepare<NoKernel>(shape)->resources.resident_blocks;
}

}  // namespace

TEST_CASE("every contract kernel gives the same results on the GPU as on the CPU") {
  tests::skip_without_gpu();
  CudaExecutor executor;
  for (const ContractCase& each : contract_cases())
    for (int repeat = 0; repeat < 20; ++repeat) {
      INFO(each.name << ", repeat " << repeat);
      CHECK(each.run(executor) == "");
    }
}

TEST_CASE("resident blocks under a carve-out agree with the driver and the counting executor") {
  tests::skip_without_gpu();
  CudaExecutor executor;
  constexpr int shared_bytes = 16 * 1024;
  const int blocks = 64 * executor.multiprocessors();
  for (const int carveout : {-1, 100, 77, 50, 25, 0}) {
    const BlockShape shape{32, shared_bytes, carveout};
    const auto kernel = executor.prepare_cuda(count_residents, "count_residents", shape);
    const DeviceArray<i32> present(executor, 1024), most(executor, 1);
    executor.fill(present.data(), 0, present.bytes());
    executor.fill(most.data(), 0, most.bytes());
    i32 *present_data = present.data(), *most_data = most.data();
    executor.launch_cuda(*kernel, blocks, {&present_data, &most_data});
    executor.synchronize();
    CAPTURE(carveout);
    CHECK(most.download()[0] == kernel->resources.resident_blocks);
    CHECK(counted_residents(executor.gpu(), shape) == kernel->resources.resident_blocks);
  }
}
