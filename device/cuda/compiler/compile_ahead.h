// SPDX-License-Identifier: Apache-2.0
// Plain CUDA kernels that are compiled while something else is done.
#pragma once

#include <fathom/device/cuda/cuda_executor.h>

#include <atomic>
#include <future>
#include <map>
#include <thread>
#include <utility>
#include <vector>

namespace fathom {

/// Compiles kernels through the cache, in their order, on all CPU cores but one. The destructor gives up what
/// is left.
class CompileAhead {
 public:
  CompileAhead(std::vector<CudaSource> sources, int compute_capability);

  /// The kernel, as soon as it is compiled; absent if it was not asked for. Throws what compiling it threw.
  std::optional<CompiledKernel> find(const CudaSource& source) const;

 private:
  std::vector<CudaSource> sources_;
  std::vector<std::promise<CompiledKernel>> promises_;
  std::map<CudaSource, std::shared_future<CompiledKernel>> kernels_;
  std::atomic<std::size_t> next_{0};
  std::vector<std::jthread> workers_;  // the last member: they use the others
};

}  // namespace fathom
