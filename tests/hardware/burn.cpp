// SPDX-License-Identifier: Apache-2.0
// burn fma SECONDS, burn copy SECONDS: keeps the GPU busy with arithmetic or with copies in its memory.
// burn hold LEFT SECONDS: holds all of its memory that is free but for LEFT bytes.
// scripts/check-gpu-faults uses it. It prints one line once the GPU is busy, or the memory held, and ends by
// itself.
#include <fathom/device/cuda/cuda_executor.h>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace fathom;
using Clock = std::chrono::steady_clock;

// Eight independent chains per thread fill the pipelines; values stay finite. The store never happens.
constexpr char fma_text[] = R"(
extern "C" __global__ void __launch_bounds__(256) fma_chains(float* sink, unsigned steps) {
  float x[8];
  for (int i = 0; i < 8; ++i) x[i] = 1.0f + 0.001f * (threadIdx.x + i);
#pragma unroll 1
  for (unsigned step = 0; step < steps; ++step) {
#pragma unroll
    for (int link = 0; link < 32; ++link)
#pragma unroll
      for (int i = 0; i < 8; ++i) x[i] = fmaf(x[i], 0.999f, 0.001f);
  }
  float sum = 0;
  for (int i = 0; i < 8; ++i) sum += x[i];
  if (sum == -1.0f) *sink = sum;
}
)";

/// Queues batches of work until the time is over. A batch lasts some tenths of a second, so that the GPU is
/// hardly ever idle between two of them.
void keep_busy(CudaExecutor& executor, const std::string& what, double seconds,
               const std::function<void()>& batch) {
  batch();  // compiles, loads, warms up
  executor.synchronize();
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  std::cout << "burning: " << what << std::endl;
  while (Clock::now() < end) {
    batch();
    executor.synchronize();
  }
}

void burn_fma(double seconds) {
  CudaExecutor executor;
  const DeviceArray<float> sink(executor, 1);
  const auto kernel = executor.prepare_cuda(fma_text, "fma_chains", {256});
  const Index blocks = Index(executor.multiprocessors()) * 8;
  float* to = sink.data();
  unsigned steps = 5000;  // 5000 · 256 dependent-by-eight operations: some 10 ms on a full multiprocessor
  keep_busy(executor, "fma", seconds, [&] {
    for (int i = 0; i < 16; ++i) executor.launch_cuda(*kernel, blocks, {&to, &steps});
  });
}

void burn_copy(double seconds) {
  CudaExecutor executor;
  constexpr std::size_t bytes = std::size_t(1) << 30;
  const DeviceArray<unsigned char> from(executor, bytes), to(executor, bytes);
  executor.fill(from.data(), 0x5a, bytes);
  keep_busy(executor, "copy", seconds, [&] {
    for (int i = 0; i < 256; ++i) executor.copy(to.data(), from.data(), bytes);
  });
}

void hold(double left, double seconds) {
  CudaExecutor executor;
  const auto free = double(executor.free_bytes());
  if (left >= free) throw std::invalid_argument("no more than LEFT is free");
  const DeviceArray<unsigned char> held(executor, std::size_t(free - left));
  std::cout << "holding: " << held.bytes() << " bytes, " << executor.free_bytes() << " are free" << std::endl;
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

}  // namespace

int main(int count, char** values) {
  const std::vector<std::string> arguments(values + 1, values + count);
  try {
    if (arguments.size() == 2 && arguments[0] == "fma")
      burn_fma(std::atof(values[2]));
    else if (arguments.size() == 2 && arguments[0] == "copy")
      burn_copy(std::atof(values[2]));
    else if (arguments.size() == 3 && arguments[0] == "hold")
      hold(std::atof(values[2]), std::atof(values[3]));
    else {
      std::cerr << "burn fma SECONDS | burn copy SECONDS | burn hold LEFT SECONDS\n";
      return 2;
    }
  } catch (const std::exception& error) {
    std::cerr << "burn: " << error.what() << '\n';
    return 1;
  }
}
