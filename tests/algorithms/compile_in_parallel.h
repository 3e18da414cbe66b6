// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fathom/device/cuda/cuda_executor.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace fathom::tests {

struct Compilation {
  std::string label;
  Launch launch;
  int architecture;
  CompiledKernel kernel = {};
  std::string error = {};
};

/// Stores every compilation's kernel or error, since Catch's checks must run in one thread.
inline void compile_in_parallel(std::vector<Compilation>& compilations) {
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i; (i = next++) < compilations.size();) {
      Compilation& one = compilations[i];
      try {
        one.kernel = compile_kernel(one.launch.source(), one.launch.shape.threads, one.architecture);
      } catch (const std::exception& error) {
        one.error = error.what();
      }
    }
  };
  std::vector<std::thread> others(std::max(1u, std::thread::hardware_concurrency()) - 1);
  for (std::thread& other : others) other = std::thread(work);
  work();
  for (std::thread& other : others) other.join();
}

}  // namespace fathom::tests
