// SPDX-License-Identifier: Apache-2.0
// Plain CUDA kernels whose work is known by hand.
#pragma once

#include <fathom/algorithms/cuda_kernel.h>

#include <cmath>
#include <string>

namespace fathom::tests {

/// A block for every t elements.
inline double blocks_of_threads(const Problem& problem) {
  return std::ceil(problem.n / problem.parameters.at("t"));
}

/// out[i] = by · in[i]: each of its elements is read and written once.
inline CudaKernel scale() {
  return {.slug = "scale",
          .file = "scale.cu",
          .text = R"(
template <class T>
__global__ void scale(const T* in, T* out, int n, T by) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = by * in[i];
}
__global__ void doubled(const float* in, float* out) { out[threadIdx.x] = 2 * in[threadIdx.x]; }
__global__ void twice(float* out) {}
__global__ void twice(int* out) {}
)",
          .name = "scale<float>",
          .arguments = {CudaArgument::input(), CudaArgument::output(), CudaArgument::n<int>(),
                        CudaArgument::value(3.0f)},
          .blocks = blocks_of_threads,
          .check = [](const CudaRun& run) -> std::string {
            const auto in = run.array<float>(0), out = run.array<float>(1);
            for (std::size_t i = 0; i < out.size(); ++i)
              if (out[i] != 3 * in[i]) return "element " + std::to_string(i) + " differs";
            return "";
          }};
}

/// The sums of the columns of a matrix whose rows have 1024 elements: a thread reads one for each row.
inline CudaKernel column_sums() {
  return {
      .slug = "column-sums",
      .file = "column_sums.cu",
      .text = R"(
__global__ void column_sums(const FATHOM_ELEMENT* in, FATHOM_ELEMENT* out, int rows) {
  FATHOM_ELEMENT sum = 0;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 1
  for (int k = 0; k < rows; ++k) sum += in[k * 1024 + i];
  out[i] = sum;
}
)",
      .name = "column_sums",
      .arguments = {CudaArgument::input(), CudaArgument::output([](const Problem&) { return 1024.0; }),
                    CudaArgument::value<int>([](const Problem& problem) { return int(problem.n / 1024); })},
      .blocks = [](const Problem& problem) { return 1024.0 / problem.parameters.at("t"); },
      .loops = {{"for (int k", [](const Problem& problem) { return std::floor(problem.n / 1024); }}},
      .types = {ElementType::u32, ElementType::u64}};
}

}  // namespace fathom::tests
