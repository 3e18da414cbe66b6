// SPDX-License-Identifier: Apache-2.0
// Compiled once with the toolkit's CUB and, where there is one, once with a newer one, whose names are in
// another inline namespace.
#include "cub_calls.h"

#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cuda/std/version>

namespace fathom {

constexpr Cub this_cub = Cub::FATHOM_CUB;

__host__ __device__ inline CubPair operator+(const CubPair& a, const CubPair& b) {
  return {a.first + b.first, a.second + b.second};
}

__device__ inline unsigned magnitude(int x) {
  return x < 0 ? 0 - static_cast<unsigned>(x) : x;
}
__device__ inline unsigned long long distance(const CubPoint& point) {
  return static_cast<unsigned long long>(magnitude(point.x)) + magnitude(point.y);
}
__device__ inline bool operator<(const CubPoint& a, const CubPoint& b) {
  return distance(a) < distance(b);
}
__device__ inline bool operator<(const CubRational& a, const CubRational& b) {
  return static_cast<long long>(a.numerator) * static_cast<long long>(b.denominator) <
         static_cast<long long>(b.numerator) * static_cast<long long>(a.denominator);
}

template <class Key>
struct Ascending {
  __device__ bool operator()(const Key& a, const Key& b) const { return a < b; }
};

template <Cub, class Key, class Count>
int cub_merge_sort(void* temporary, std::size_t& temporary_bytes, const Key* input, Key* output, Count n,
                   void* stream) {
  return cub::DeviceMergeSort::SortKeysCopy(temporary, temporary_bytes, input, output, n, Ascending<Key>{},
                                            static_cast<cudaStream_t>(stream));
}

template <Cub, class Key, class Value, class Count>
int cub_merge_sort_pairs(void* temporary, std::size_t& temporary_bytes, const Key* keys_in,
                         const Value* values_in, Key* keys_out, Value* values_out, Count n, void* stream) {
  return cub::DeviceMergeSort::SortPairsCopy(temporary, temporary_bytes, keys_in, values_in, keys_out,
                                             values_out, n, Ascending<Key>{},
                                             static_cast<cudaStream_t>(stream));
}

template <Cub, class Key, class Count>
int cub_radix_sort(void* temporary, std::size_t& temporary_bytes, const Key* input, Key* output, Count n,
                   void* stream) {
  return cub::DeviceRadixSort::SortKeys(temporary, temporary_bytes, input, output, n, 0, 8 * sizeof(Key),
                                        static_cast<cudaStream_t>(stream));
}

template <Cub, class Key, class Value, class Count>
int cub_radix_sort_pairs(void* temporary, std::size_t& temporary_bytes, const Key* keys_in,
                         const Value* values_in, Key* keys_out, Value* values_out, Count n, void* stream) {
  return cub::DeviceRadixSort::SortPairs(temporary, temporary_bytes, keys_in, keys_out, values_in, values_out,
                                         n, 0, 8 * sizeof(Key), static_cast<cudaStream_t>(stream));
}

template <Cub, class T, class Count>
int cub_exclusive_sum(void* temporary, std::size_t& temporary_bytes, const T* input, T* output, Count n,
                      void* stream) {
  return cub::DeviceScan::ExclusiveSum(temporary, temporary_bytes, input, output, n,
                                       static_cast<cudaStream_t>(stream));
}

template <Cub, class T, class Count>
int cub_sum(void* temporary, std::size_t& temporary_bytes, const T* input, T* output, Count n, void* stream) {
  return cub::DeviceReduce::Sum(temporary, temporary_bytes, input, output, n,
                                static_cast<cudaStream_t>(stream));
}

template <>
int cub_version<this_cub>() {
  return CCCL_VERSION;
}

#define FATHOM_CUB_ORDERED(Key, Count) \
  template int cub_merge_sort<this_cub>(void*, std::size_t&, const Key*, Key*, Count, void*);
FATHOM_CUB_ORDERED(CubPoint, long long)
FATHOM_CUB_ORDERED(CubRational, long long)

#define FATHOM_CUB_NUMBERS(Key, Count) \
  FATHOM_CUB_ORDERED(Key, Count)       \
  template int cub_radix_sort<this_cub>(void*, std::size_t&, const Key*, Key*, Count, void*);
FATHOM_CUB_NUMBERS(unsigned, long long)
FATHOM_CUB_NUMBERS(unsigned, int)
FATHOM_CUB_NUMBERS(unsigned long long, long long)
FATHOM_CUB_NUMBERS(unsigned long long, int)
FATHOM_CUB_NUMBERS(int, long long)
FATHOM_CUB_NUMBERS(long long, long long)
FATHOM_CUB_NUMBERS(float, long long)
FATHOM_CUB_NUMBERS(double, long long)

#define FATHOM_CUB_PAIRS(Key, Value, Count)                                                                \
  template int cub_merge_sort_pairs<this_cub>(void*, std::size_t&, const Key*, const Value*, Key*, Value*, \
                                              Count, void*);                                               \
  template int cub_radix_sort_pairs<this_cub>(void*, std::size_t&, const Key*, const Value*, Key*, Value*, \
                                              Count, void*);
FATHOM_CUB_PAIRS(unsigned, unsigned, long long)
FATHOM_CUB_PAIRS(unsigned, unsigned, int)
FATHOM_CUB_PAIRS(unsigned long long, unsigned, long long)
FATHOM_CUB_PAIRS(unsigned long long, unsigned long long, long long)

#define FATHOM_CUB_VALUES(T, Count)                                                          \
  template int cub_exclusive_sum<this_cub>(void*, std::size_t&, const T*, T*, Count, void*); \
  template int cub_sum<this_cub>(void*, std::size_t&, const T*, T*, Count, void*);
FATHOM_CUB_VALUES(unsigned, long long)
FATHOM_CUB_VALUES(unsigned, int)
FATHOM_CUB_VALUES(unsigned long long, long long)
FATHOM_CUB_VALUES(unsigned long long, int)
FATHOM_CUB_VALUES(float, long long)
FATHOM_CUB_VALUES(double, long long)
FATHOM_CUB_VALUES(CubPair, long long)

}  // namespace fathom
