// The calls into CUB, compiled ahead of time: the only code of the project that nvcc compiles.
#pragma once

#include <cstddef>

namespace fathom {

/// Pair (device/contract_types.h) again, because that header needs C++20, which nvcc is not run with here.
struct alignas(8) CubPair {
  unsigned first, second;
};

/// Queues on `stream` (a cudaStream_t). With temporary == nullptr, only sets `temporary_bytes`. The result is
/// a cudaError_t. Key: u32, u64. T: those, f32, f64, CubPair.
template <class Key>
int cub_merge_sort(void* temporary, std::size_t& temporary_bytes, const Key* input, Key* output, long long n,
                   void* stream);
template <class T>
int cub_exclusive_sum(void* temporary, std::size_t& temporary_bytes, const T* input, T* output, long long n,
                      void* stream);
template <class T>
int cub_sum(void* temporary, std::size_t& temporary_bytes, const T* input, T* output, long long n,
            void* stream);

}  // namespace fathom
