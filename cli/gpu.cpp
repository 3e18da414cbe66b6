#include "gpu.h"

#include "terminal.h"

namespace fathom::cli {

CudaExecutor open_gpu(int number) {
  if (const auto problem = kernel_cache_problem()) note("compiled kernels are not cached: " + *problem);
  return CudaExecutor(number);
}

}  // namespace fathom::cli
