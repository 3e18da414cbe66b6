// The GPU of a command.
#pragma once

#include <fathom/device/cuda/cuda_executor.h>

#include <string>

namespace fathom::cli {

/// Watches for other processes on a GPU while this one measures: runs beside other work are slower, and if it
/// goes on all the time their samples do not show it.
class OtherWork {
 public:
  /// To be made before this process uses the GPU. Notes on stderr if the GPU is busy with other work.
  explicit OtherWork(int number);
  /// Notes on stderr, once, if processes have come since.
  void look();

 private:
  std::string bus_id_;  ///< empty if there is no such GPU
  std::size_t processes_ = 0;
  bool noted_ = false;
};

/// The GPU of this number. Notes on stderr if compiled kernels cannot be cached. Throws DeviceUnavailable.
CudaExecutor open_gpu(int number);

}  // namespace fathom::cli
