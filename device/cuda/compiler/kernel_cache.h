// SPDX-License-Identifier: Apache-2.0
// The CUDA source that a kernel struct is compiled as, and a cache of compiled kernels on disk.
#pragma once

#include <fathom/device/cuda/cuda_executor.h>

namespace fathom {

/// A kernel struct may include these besides its own headers; cmake/EmbedText.cmake generates them.
std::span<const HeaderText> contract_headers();

/// The __global__ function that runs a kernel struct, a template over it. It has the kernel's name, which
/// profilers show.
std::string entry_function(const KernelSource& source, int threads);

/// The key of a kernel in the cache is a digest of all that decides its machine code, of the headers only
/// those that it includes.
std::string kernel_cache_key(const KernelSource& source, int threads, int compute_capability);

/// compile_kernel() and compile_cuda() through the cache. A kernel whose entry is missing or damaged is
/// compiled and stored again. A cache that cannot be used (kernel_cache_problem()) only costs time.
CompiledKernel cached_kernel(const KernelSource& source, int threads, int compute_capability);
CompiledKernel cached_cuda(const std::string& text, const std::string& expression, int compute_capability);

}  // namespace fathom
