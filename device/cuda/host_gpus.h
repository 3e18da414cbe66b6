// SPDX-License-Identifier: Apache-2.0
// The GPUs of a call for data in host memory.
#pragma once

#include <fathom/device/cuda/cuda_executor.h>
#include <fathom/device/host_streams.h>

#include <algorithm>
#include <deque>
#include <limits>
#include <vector>

namespace fathom {

/// Each GPU has streams for copies in both directions beside kernels.
class HostGpus {
 public:
  /// Takes the GPUs of these numbers, or all. The calling thread's current GPU is then the first one. Throws
  /// like chosen_gpus().
  explicit HostGpus(const std::vector<int>& numbers = {}) {
    for (const int number : chosen_gpus(numbers)) gpus_.emplace_back(number);
    first().use_on_this_thread();
  }

  std::vector<HostStreams> streams() {
    std::vector<HostStreams> all;
    for (Gpu& gpu : gpus_) all.push_back({gpu.in, gpu.kernels, gpu.out});
    return all;
  }
  CudaExecutor& first() { return gpus_.front().kernels; }
  /// Returns the memory that each GPU has free at least. The calling thread's current GPU is then the first
  /// one.
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
