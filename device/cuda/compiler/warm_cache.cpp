// SPDX-License-Identifier: Apache-2.0
#include <fathom/core/interruption.h>
#include <fathom/device/cuda/compiler/kernel_cache.h>
#include <fathom/device/cuda/cuda_executor.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace fathom {
namespace {

/// Calls compile(0) … compile(count − 1) on all CPU cores, and done(k) after the k-th of them, one at a time.
/// Rethrows the first failure.
void in_parallel(std::size_t count, const std::function<void(std::size_t)>& compile,
                 const std::function<void(std::size_t)>& done) {
  std::atomic<std::size_t> next{0};
  std::size_t finished = 0;
  std::mutex mutex;
  std::exception_ptr failure;
  const InterruptionCheck check = interruption_check();
  const auto work = [&] {
    const Interruptible interruptible(check);
    for (std::size_t i; (i = next++) < count;) {
      try {
        compile(i);
        const std::scoped_lock lock(mutex);
        done(++finished);
      } catch (...) {
        const std::scoped_lock lock(mutex);
        if (!failure) failure = std::current_exception();
        next = count;
      }
    }
  };
  {
    std::vector<std::jthread> workers;
    for (unsigned i = 0; i < std::max(1u, std::thread::hardware_concurrency()); ++i)
      workers.emplace_back(work);
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace

void CudaExecutor::warm_cache(const std::vector<Launch>& launches, const Progress& progress) {
  in_parallel(
      launches.size(),
      [&](std::size_t i) {
        cached_kernel(launches[i].source(), launches[i].shape.threads, gpu().compute_capability);
      },
      [&](std::size_t done) {
        if (progress) progress("compiling kernels", done, launches.size());
      });
}

}  // namespace fathom
