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

/// Lists of n elements in all: list i is elements [begins[i], begins[i + 1]).
struct CubLists {
  const long long* begins;
  long long count;
  long long n;
};

/// Which CUB: that of the toolkit, or a newer one (FATHOM_CCCL in CMakeLists.txt).
enum class Cub { of_toolkit, newest };

// All queue on `stream` (a cudaStream_t). With temporary == nullptr, they only set `temporary_bytes`. The
// result is a cudaError_t. Count, the type of n, is long long, or int for the keys u32 and u64, the pairs of
// two u32, and sums of u32 and u64: CUB chooses its kernels by it.

/// 3000002 for 3.0.2, the version of CCCL that CUB belongs to.
template <Cub of>
int cub_version();
/// Key: u32, u64, i32, i64, f32, f64, CubPoint, CubRational.
template <Cub of, class Key, class Count>
int cub_merge_sort(void* temporary, std::size_t& temporary_bytes, const Key* input, Key* output, Count n,
                   void* stream);
/// Key and Value: u32 and u32, u64 and u32, u64 and u64. Stable, although CUB promises it only of the
/// function that sorts in place: this is the same algorithm, and every benchmark checks it.
template <Cub of, class Key, class Value, class Count>
int cub_merge_sort_pairs(void* temporary, std::size_t& temporary_bytes, const Key* keys_in,
                         const Value* values_in, Key* keys_out, Value* values_out, Count n, void* stream);
/// Key: u32, u64, i32, i64, f32, f64. With n keys of output apart from the input, which is left as it was.
template <Cub of, class Key, class Count>
int cub_radix_sort(void* temporary, std::size_t& temporary_bytes, const Key* input, Key* output, Count n,
                   void* stream);
/// Key and Value: u32 and u32, u64 and u32, u64 and u64. Stable.
template <Cub of, class Key, class Value, class Count>
int cub_radix_sort_pairs(void* temporary, std::size_t& temporary_bytes, const Key* keys_in,
                         const Value* values_in, Key* keys_out, Value* values_out, Count n, void* stream);
/// Merges two sorted lists. Key: u32, u64, i32, i64. Equal keys of `a` come first, although CUB promises no
/// order: every benchmark of a stable sort checks it.
template <Cub of, class Key>
int cub_merge_lists(void* temporary, std::size_t& temporary_bytes, const Key* a, long long n_a, const Key* b,
                    long long n_b, Key* output, void* stream);
/// Key and Value: u32 and u32, u64 and u32, u64 and u64.
template <Cub of, class Key, class Value>
int cub_merge_lists_of_pairs(void* temporary, std::size_t& temporary_bytes, const Key* keys_a,
                             const Value* values_a, long long n_a, const Key* keys_b, const Value* values_b,
                             long long n_b, Key* keys_out, Value* values_out, void* stream);
/// Sorts each list. Key: u32, u64, i32, i64, f32, f64.
template <Cub of, class Key>
int cub_segmented_sort(void* temporary, std::size_t& temporary_bytes, const Key* input, Key* output,
                       const CubLists& lists, void* stream);
/// Key and Value: u32 and u32, u64 and u32, u64 and u64. Stable.
template <Cub of, class Key, class Value>
int cub_segmented_sort_pairs(void* temporary, std::size_t& temporary_bytes, const Key* keys_in,
                             const Value* values_in, Key* keys_out, Value* values_out, const CubLists& lists,
                             void* stream);
/// The same by digits, for n and numbers of lists below 2^31.
template <Cub of, class Key>
int cub_segmented_radix(void* temporary, std::size_t& temporary_bytes, const Key* input, Key* output,
                        const CubLists& lists, void* stream);
template <Cub of, class Key, class Value>
int cub_segmented_radix_pairs(void* temporary, std::size_t& temporary_bytes, const Key* keys_in,
                              const Value* values_in, Key* keys_out, Value* values_out, const CubLists& lists,
                              void* stream);
/// T: u32, u64, f32, f64, CubPair.
template <Cub of, class T, class Count>
int cub_exclusive_sum(void* temporary, std::size_t& temporary_bytes, const T* input, T* output, Count n,
                      void* stream);
template <Cub of, class T, class Count>
int cub_sum(void* temporary, std::size_t& temporary_bytes, const T* input, T* output, Count n, void* stream);

}  // namespace fathom
