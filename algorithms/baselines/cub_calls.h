// SPDX-License-Identifier: Apache-2.0
// The calls into CUB, compiled ahead of time: the only code of the project that nvcc compiles.
#pragma once

#include <cstddef>

namespace fathom {

/// Pair (device/contract_types.h) again, because that header needs C++20, which nvcc is not run with here.
struct alignas(8) CubPair {
  unsigned first, second;
};

/// Point and Rational (core/elements) again, ordered in the same way.
struct alignas(8) CubPoint {
  int x, y;
};
struct alignas(8) CubRational {
  int numerator;
  unsigned denominator;
};

// All queue on `stream` (a cudaStream_t). With temporary == nullptr, they only set `temporary_bytes`. The
// result is a cudaError_t.

/// Key: u32, u64, i32, i64, f32, f64, CubPoint, CubRational.
template <class Key>
int cub_merge_sort(void* temporary, std::size_t& temporary_bytes, const Key* input, Key* output, long long n,
                   void* stream);
/// Key and Value: u32 and u32, u64 and u32, u64 and u64. Stable, although CUB promises it only of the
/// function that sorts in place: this is the same algorithm, and every benchmark checks it.
template <class Key, class Value>
int cub_merge_sort_pairs(void* temporary, std::size_t& temporary_bytes, const Key* keys_in,
                         const Value* values_in, Key* keys_out, Value* values_out, long long n, void* stream);
/// Key: u32, u64, i32, i64, f32, f64. With n keys of output apart from the input, which is left as it was.
template <class Key>
int cub_radix_sort(void* temporary, std::size_t& temporary_bytes, const Key* input, Key* output, long long n,
                   void* stream);
/// Key and Value: u32 and u32, u64 and u32, u64 and u64. Stable.
template <class Key, class Value>
int cub_radix_sort_pairs(void* temporary, std::size_t& temporary_bytes, const Key* keys_in,
                         const Value* values_in, Key* keys_out, Value* values_out, long long n, void* stream);
/// T: u32, u64, f32, f64, CubPair.
template <class T>
int cub_exclusive_sum(void* temporary, std::size_t& temporary_bytes, const T* input, T* output, long long n,
                      void* stream);
template <class T>
int cub_sum(void* temporary, std::size_t& temporary_bytes, const T* input, T* output, long long n,
            void* stream);

}  // namespace fathom
