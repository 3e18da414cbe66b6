// SPDX-License-Identifier: Apache-2.0
// What scripts/campaigns/measure-functions calls beside Fathom: Thrust's and CUB's sorts, with C names.
// Return a CUDA error.
#include <thrust/execution_policy.h>
#include <thrust/sort.h>
#include <thrust/system/cuda/memory_resource.h>
#include <cub/cub.cuh>

#include <cstdint>

namespace {

/// Work space that stays allocated, as a program that sorts often would have it.
cudaError_t reserve(void*& memory, std::size_t& held, std::size_t bytes) {
  if (bytes <= held) return cudaSuccess;
  cudaFree(memory);
  held = bytes;
  return cudaMalloc(&memory, bytes);
}

template <class Launch>
int with_work_space(Launch launch) {
  static void* memory = nullptr;
  static std::size_t held = 0;
  std::size_t bytes = 0;
  if (const cudaError_t error = launch(nullptr, bytes)) return error;
  if (const cudaError_t error = reserve(memory, held, bytes)) return error;
  return launch(memory, bytes);
}

/// With n of 32 bits where it fits, or of 64: CUB has kernels for each.
template <class Key, class Size>
int cub_keys(const void* keys, void* sorted, Size n) {
  return with_work_space([=](void* memory, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortKeys(memory, bytes, static_cast<const Key*>(keys),
                                          static_cast<Key*>(sorted), n);
  });
}
template <class Key, class Size>
int cub_pairs(const void* keys, const void* values, void* sorted, void* moved, Size n) {
  return with_work_space([=](void* memory, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(
        memory, bytes, static_cast<const Key*>(keys), static_cast<Key*>(sorted),
        static_cast<const std::uint32_t*>(values), static_cast<std::uint32_t*>(moved), n);
  });
}

template <class Sort>
int guarded(Sort sort) try {
  sort();
  return cudaGetLastError();
} catch (...) {
  return cudaErrorUnknown;
}

}  // namespace

#define SORTS(NAME, KEY)                                                                            \
  extern "C" int cub32_##NAME(const void* keys, void* sorted, std::uint64_t n) {                    \
    return cub_keys<KEY>(keys, sorted, int(n));                                                     \
  }                                                                                                 \
  extern "C" int cub64_##NAME(const void* keys, void* sorted, std::uint64_t n) {                    \
    return cub_keys<KEY>(keys, sorted, n);                                                          \
  }                                                                                                 \
  extern "C" int thrust_##NAME(void* keys, std::uint64_t n) {                                       \
    return guarded([=] {                                                                            \
      thrust::sort(thrust::cuda::par_nosync, static_cast<KEY*>(keys), static_cast<KEY*>(keys) + n); \
    });                                                                                             \
  }
#define SORTS_OF_PAIRS(NAME, KEY)                                                                         \
  extern "C" int cub32_##NAME(const void* keys, const void* values, void* sorted, void* moved,            \
                              std::uint64_t n) {                                                          \
    return cub_pairs<KEY>(keys, values, sorted, moved, int(n));                                           \
  }                                                                                                       \
  extern "C" int cub64_##NAME(const void* keys, const void* values, void* sorted, void* moved,            \
                              std::uint64_t n) {                                                          \
    return cub_pairs<KEY>(keys, values, sorted, moved, n);                                                \
  }                                                                                                       \
  extern "C" int thrust_##NAME(void* keys, void* values, std::uint64_t n) {                               \
    return guarded([=] {                                                                                  \
      thrust::sort_by_key(thrust::cuda::par_nosync, static_cast<KEY*>(keys), static_cast<KEY*>(keys) + n, \
                          static_cast<std::uint32_t*>(values));                                           \
    });                                                                                                   \
  }

SORTS(int32, std::int32_t)
SORTS(int64, std::int64_t)
SORTS(float32, float)
SORTS(float64, double)
SORTS_OF_PAIRS(uint32, std::uint32_t)
SORTS_OF_PAIRS(uint64, std::uint64_t)
