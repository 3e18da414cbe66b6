// SPDX-License-Identifier: Apache-2.0
// Launches the kernels of this folder, whose threads stride over any number of elements.
#pragma once

#include <fathom/algorithms/launch.h>
#include <fathom/device/executor.h>

#include <algorithm>

namespace fathom {

/// Enough blocks to fill the device, but no more than there is work for.
template <class Kernel>
void launch_over(Executor& executor, u64 n, const Kernel& kernel) {
  constexpr BlockShape shape{256};
  const Index blocks =
      std::clamp<Index>(ceil_div(Index(n), shape.threads), 1, Index(executor.multiprocessors()) * 8);
  executor.launch(*executor.prepare(launch_of<Kernel>(0, blocks, shape)), blocks, kernel);
}

/// Runs a kernel that adds into `how_many` zeroed counters, and reads them.
template <class Kernel>
std::vector<u64> count_with(Executor& executor, u64 n, Kernel kernel, Span<u64> Kernel::*counters,
                            std::size_t how_many) {
  const DeviceArray<u64> array(executor, how_many);
  executor.fill(array.data(), 0, array.bytes());
  kernel.*counters = array.span();
  launch_over(executor, n, kernel);
  return array.download();
}

/// Fails a check: `what` is one line that says what is wrong with the output.
[[noreturn]] inline void wrong_result(const std::string& what) {
  throw KernelFailure("wrong result: " + what);
}

}  // namespace fathom
