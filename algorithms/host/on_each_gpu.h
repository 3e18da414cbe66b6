// SPDX-License-Identifier: Apache-2.0
// Gives several GPUs their work, each from a thread of its own.
#pragma once

#include <fathom/core/interruption.h>
#include <fathom/device/host_streams.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>
#include <vector>

namespace fathom {

/// Calls `work(i)` for each GPU i, and returns when all are done. A GPU has a thread of its own, as a copy
/// from memory that is not pinned, or a kernel that is compiled, lets a thread wait; one GPU has the calling
/// thread. Interrupting the calling thread interrupts all, and so does a GPU that fails: the others end where
/// they next call check_interruption(). Throws what the first in the order of the GPUs threw by itself.
template <class Work>
void on_each_gpu(const std::vector<HostStreams>& gpus, Work work) {
  const auto on_this_thread = [&](std::size_t gpu) {
    gpus[gpu].kernels.use_on_this_thread();
    work(gpu);
  };
  if (gpus.size() == 1) return on_this_thread(0);
  std::vector<std::exception_ptr> thrown(gpus.size());
  struct AnotherFailed {};
  std::atomic<bool> has_failed = false;
  {
    const InterruptionCheck interruption = interruption_check();
    std::vector<std::jthread> threads;
    for (std::size_t gpu = 0; gpu < gpus.size(); ++gpu)
      threads.emplace_back([&, gpu] {
        const Interruptible as_the_caller([&] {
          if (interruption) interruption();
          if (has_failed) throw AnotherFailed();
        });
        try {
          on_this_thread(gpu);
        } catch (const AnotherFailed&) {
        } catch (...) {
          thrown[gpu] = std::current_exception();
          has_failed = true;
        }
      });
  }
  const auto first = std::ranges::find_if(thrown, [](const auto& each) { return each != nullptr; });
  if (first != thrown.end()) std::rethrow_exception(*first);
}

}  // namespace fathom
