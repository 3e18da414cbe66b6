// SPDX-License-Identifier: Apache-2.0
// A plain CUDA kernel and, below it, what registers it: its arguments, its grid, the turns of its loop and a
// check.
#pragma once

#include <fathom/algorithms/cuda_kernel.h>

#include <cmath>

namespace own {

inline constexpr const char* row_norms_cu = R"(
// The sum of squares of each row of a matrix, with a warp per row.
template <class T>
__global__ void row_norms(const T* matrix, T* norms, int rows, int width) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  T sum = 0;
  for (int k = lane; k < width; k += 32) {
    const T x = matrix[(long long)row * width + k];
    sum += x * x;
  }
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(~0u, sum, distance);
  if (lane == 0) norms[row] = sum;
}
)";

inline constexpr int width = 1024;  ///< of the matrix

inline double rows(const fathom::Problem& problem) {
  return std::ceil(problem.n / width);
}
inline double elements(const fathom::Problem& problem) {
  return rows(problem) * width;
}
inline double blocks(const fathom::Problem& problem) {
  return std::ceil(rows(problem) * 32 / problem.parameters.at("t"));
}

/// Modulo 2^32, hence in any order.
inline std::string wrong_norm(const fathom::CudaRun& run) {
  const auto matrix = run.array<fathom::u32>(0), norms = run.array<fathom::u32>(1);
  for (std::size_t row = 0; row < norms.size(); ++row) {
    fathom::u32 sum = 0;
    for (const fathom::u32 x : matrix.subspan(row * width, width)) sum += x * x;
    if (norms[row] != sum) return "the norm of row " + std::to_string(row) + " differs";
  }
  return "";
}

inline fathom::Algorithm row_norms() {
  using namespace fathom;
  const auto number_of_rows = [](const Problem& problem) { return int(rows(problem)); };
  return cuda_algorithm({.slug = "row-norms",
                         .file = "row_norms.cu",
                         .text = row_norms_cu,
                         .name = "row_norms<FATHOM_ELEMENT>",
                         .arguments = {CudaArgument::input(elements), CudaArgument::output(rows),
                                       CudaArgument::value<int>(number_of_rows), CudaArgument::value(width)},
                         .blocks = blocks,
                         .loops = {{"for (int k", [](const Problem&) { return width / 32; }}},
                         .types = {ElementType::u32},
                         .check = wrong_norm});
}

}  // namespace own
