// A cache of compiled kernels on disk.
#pragma once

#include <fathom/device/cuda/cuda_executor.h>

namespace fathom {

/// compile_kernel() through the cache. A cache that cannot be read or written is ignored silently: it only
/// costs time.
CompiledKernel cached_kernel(const KernelSource& source, int threads, int compute_capability);
CompiledKernel cached_cuda(const std::string& text, const std::string& expression, int compute_capability);

}  // namespace fathom
