// SPDX-License-Identifier: Apache-2.0
// Sorts keys that are on the GPU, and says by which kernels.
#include <fathom/algorithms/registry.h>
#include <fathom/functions/functions.h>

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <iostream>
#include <random>
#include <stdexcept>
#include <vector>

namespace {

void check(cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
}

void sort_some_keys(std::size_t n) {
  std::mt19937_64 random;
  std::vector<std::uint64_t> keys(n);
  std::ranges::generate(keys, random);
  const std::size_t bytes = n * sizeof(std::uint64_t);

  void* memory;
  check(cudaMalloc(&memory, bytes));
  const auto on_gpu = static_cast<std::uint64_t*>(memory);
  check(cudaMemcpy(on_gpu, keys.data(), bytes, cudaMemcpyHostToDevice));

  fathom::sort(on_gpu, n);  // in place; it returns as soon as the work is queued

  check(cudaMemcpy(keys.data(), on_gpu, bytes, cudaMemcpyDeviceToHost));  // waits for it
  check(cudaFree(memory));
  if (!std::ranges::is_sorted(keys)) throw std::runtime_error("the keys are not sorted");

  const fathom::Task task{fathom::Kind::sort, {fathom::ElementType::u64, {}}, n, false, true};
  std::cout << n << " keys are sorted, by " << fathom::functions().choice(task).algorithm->slug << '\n';
}

}  // namespace

int main() {
  try {
    sort_some_keys(std::size_t(1) << 24);
  } catch (const std::exception& error) {
    std::cerr << "own-array: " << error.what() << '\n';
    return 1;
  }
}
