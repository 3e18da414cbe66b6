// SPDX-License-Identifier: Apache-2.0
// The GPU of a call.
#pragma once

#include <fathom/calls/listener.h>
#include <fathom/device/cuda/cuda_executor.h>

#include <string>

namespace fathom::calls {

/// Watches for other processes on a GPU while this one measures: runs beside other work are slower, and if it
/// goes on all the time their samples do not show it.
class OtherWork {
 public:
  /// To be made before this process uses the GPU. Notes if the GPU is busy with other work.
  OtherWork(int number, Listener listener);
  /// Notes, once, if processes have come since.
  void look();

 private:
  Listener listener_;
  std::string bus_id_;  ///< empty if there is no such GPU
  std::size_t processes_ = 0;
  bool noted_ = false;
};

/// Notes if compiled kernels cannot be cached.
void note_uncached(const Listener& listener);

/// The GPU of this number, with note_uncached(). Throws DeviceUnavailable.
CudaExecutor open_gpu(int number, const Listener& listener);

}  // namespace fathom::calls
