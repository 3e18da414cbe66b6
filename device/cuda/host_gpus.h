// SPDX-License-Identifier: Apache-2.0
// The GPUs of a call for data in host memory.
#pragma once

#include <fathom/device/cuda/cuda_executor.h>
#include <fathom/device/host_streams.h>

#include <algorithm>
#include <deque>
#include <limits>
#include <string>
#include <vector>

namespace fathom {

/// Each GPU has streams for copies in both directions beside kernels.
class HostGpus {
 public:
  /// The GPUs of these numbers, at least one. Throws DeviceUnavailable for one that is not there, and for
  /// GPUs of different kinds, on which equal shares would take different times.
  explicit HostGpus(const std::vector<int>& numbers) {
    for (const int number : numbers) {
      const Gpu& gpu = gpus_.emplace_back(number);
      const GpuInfo &first = gpus_.front().kernels.gpu(), &own = gpu.kernels.gpu();
      if (own.name != first.name)
        throw DeviceUnavailable("GPU " + std::to_string(first.index) + " is of the kind " + first.name +
                                ", GPU " + std::to_string(own.index) + " of the kind " + own.name +
                                ": choose GPUs of one kind");
    }
    first().use_on_this_thread();
  }

  std::vector<HostStreams> streams() {
    std::vector<HostStreams> all;
    for (Gpu& gpu : gpus_) all.push_back({gpu.in, gpu.kernels, gpu.out});
    return all;
  }
  CudaExecutor& first() { return gpus_.front().kernels; }
  /// What every GPU has free. The calling thread's current GPU is then the first one.
  std::size_t free_bytes() {
    std::size_t least = std::numeric_limits<std::size_t>::max();
    for (Gpu& gpu : gpus_) {
      gpu.kernels.use_on_this_thread();
      least = std::min(least, gpu.kernels.free_bytes());
    }
    first().use_on_this_thread();
    return least;
  }
  /// Throws KernelFailure for any failure since the last call.
  void synchronize() {
    for (Gpu& gpu : gpus_)
      for (CudaExecutor* stream : {&gpu.in, &gpu.kernels, &gpu.out}) stream->synchronize();
  }

 private:
  struct Gpu {
    explicit Gpu(int number) : in(number), kernels(number), out(number) {}

    CudaExecutor in, kernels, out;
  };

  std::deque<Gpu> gpus_;
};

}  // namespace fathom
