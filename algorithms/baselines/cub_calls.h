// The calls into CUB, compiled ahead of time: the one place of the project that nvcc compiles.
#pragma once

#include <cstddef>

namespace fathom {

/// Queues on `stream` (a cudaStream_t). With temporary == nullptr only sets `temporary_bytes`. The result is
/// a cudaError_t. Key, T: u32, u64.
template <class Key>
int cub_merge_sort(void* temporary, std::size_t& temporary_bytes, const Key* input, Key* output, long long n,
                   void* stream);
template <class T>
int cub_exclusive_sum(void* temporary, std::size_t& temporary_bytes, const T* input, T* output, long long n,
                      void* stream);

}  // namespace fathom
