// A cache of compiled kernels on disk.
#pragma once

#include <fathom/device/cuda/cuda_executor.h>

namespace fathom {

/// compile_kernel() through the cache. A cache that cannot be read or written is ignored silently: it only
/// costs time.
/// What a kernel is found by in the cache: a digest of all that decides its machine code, of the headers only
/// those that it includes.
std::string kernel_cache_key(const KernelSource& source, int threads, int compute_capability);

CompiledKernel cached_kernel(const KernelSource& source, int threads, int compute_capability);
CompiledKernel cached_cuda(const std::string& text, const std::string& expression, int compute_capability);

}  // namespace fathom
