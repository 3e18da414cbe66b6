// SPDX-License-Identifier: Apache-2.0
#include <fathom/device/cuda/cuda_executor.h>
#include <fathom/device/cuda/driver_version.h>
#include <fathom/model/architectures.h>

#include "check.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <numeric>

namespace fathom {
namespace {

/// Cores of one multiprocessor, which the driver does not report.
int cores_of(int compute_capability) {
  if (const Architecture* known = find_architecture(compute_capability)) return known->cores;
  const bool is_old_server = compute_capability == 60 || compute_capability / 10 == 7;  // Pascal, Volta
  return is_old_server ? 64 : 128;
}

GpuInfo describe_gpu(int gpu) {
  cudaDeviceProp properties;
  check(cudaGetDeviceProperties(&properties, gpu), "ask the GPU for its properties");
  GpuInfo info;
  info.index = gpu;
  info.name = properties.name;
  char bus_id[32] = {};
  check(cudaDeviceGetPCIBusId(bus_id, sizeof bus_id, gpu), "ask the GPU for its place on the bus");
  info.bus_id = bus_id;
  info.compute_capability = 10 * properties.major + properties.minor;
  info.multiprocessors = properties.multiProcessorCount;
  info.cores_per_multiprocessor = cores_of(info.compute_capability);
  info.warp_width = properties.warpSize;
  info.global_bytes = properties.totalGlobalMem;
  info.l2_bytes = std::size_t(properties.l2CacheSize);
  info.threads_per_multiprocessor = properties.maxThreadsPerMultiProcessor;
  info.blocks_per_multiprocessor = properties.maxBlocksPerMultiProcessor;
  info.threads_per_block = properties.maxThreadsPerBlock;
  info.registers_per_multiprocessor = properties.regsPerMultiprocessor;
  info.shared_bytes_per_multiprocessor = properties.sharedMemPerMultiprocessor;
  info.shared_bytes_per_block = properties.sharedMemPerBlockOptin;
  info.shared_bytes_reserved = properties.reservedSharedMemPerBlock;
  info.driver = driver_version();
  info.toolkit = std::to_string(CUDART_VERSION / 1000) + "." + std::to_string(CUDART_VERSION % 1000 / 10);
  return info;
}

}  // namespace

std::vector<GpuInfo> present_gpus() {
  int driver = 0;
  if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0) return {};
  int count = 0;
  switch (const cudaError_t error = cudaGetDeviceCount(&count)) {
    case cudaSuccess:
      break;
    case cudaErrorNoDevice:
      return {};
    case cudaErrorInsufficientDriver:
      throw DeviceUnavailable("the NVIDIA driver is too old: it supports CUDA " +
                              std::to_string(driver / 1000) + "." + std::to_string(driver % 1000 / 10) +
                              ", this build needs " + std::to_string(CUDART_VERSION / 1000) +
                              ".0: update the driver, or build with an older toolkit");
    default:
      throw DeviceUnavailable(std::string("the NVIDIA driver does not answer: ") + cudaGetErrorString(error));
  }
  std::vector<GpuInfo> gpus;
  for (int gpu = 0; gpu < count; ++gpu) gpus.push_back(describe_gpu(gpu));
  return gpus;
}

int current_gpu() {
  int gpu = 0;
  if (present_gpus().empty()) throw DeviceUnavailable("no NVIDIA GPU is present");
  check(cudaGetDevice(&gpu), "ask for the current GPU");
  return gpu;
}

std::vector<int> chosen_gpus(std::vector<int> numbers) {
  const std::vector<GpuInfo> present = present_gpus();
  if (present.empty())
    throw DeviceUnavailable("no NVIDIA GPU is present (nvidia-smi lists those that the driver sees)");
  if (numbers.empty()) {
    numbers.resize(present.size());
    std::iota(numbers.begin(), numbers.end(), 0);
  }
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const int own = numbers[i];
    if (own < 0 || std::size_t(own) >= present.size())
      throw DeviceUnavailable("there is no GPU " + std::to_string(own) + ": the driver sees " +
                              std::to_string(present.size()) + ", numbered from 0");
    const auto before = numbers.begin() + std::ptrdiff_t(i);
    if (std::find(numbers.begin(), before, own) != before)
      throw DeviceUnavailable("GPU " + std::to_string(own) + " is named twice: name each once");
    const std::string &first = present[std::size_t(numbers[0])].name, &name = present[std::size_t(own)].name;
    if (name != first)
      throw DeviceUnavailable("GPU " + std::to_string(numbers[0]) + " is of the kind " + first + ", GPU " +
                              std::to_string(own) + " of the kind " + name + ": choose GPUs of one kind");
  }
  return numbers;
}

}  // namespace fathom
