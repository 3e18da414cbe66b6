// The GPU of a command.
#pragma once

#include <fathom/device/cuda/cuda_executor.h>

namespace fathom::cli {

/// The GPU of this number. Notes on stderr if compiled kernels cannot be cached. Throws DeviceUnavailable.
CudaExecutor open_gpu(int number);

}  // namespace fathom::cli
