// SPDX-License-Identifier: Apache-2.0
#include "cub_calls.h"

#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>

namespace fathom {

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

template <class Key>
int cub_merge_sort(void* temporary, std::size_t& temporary_bytes, const Key* input, Key* output, long long n,
                   void* stream) {
  return cub::DeviceMergeSort::SortKeysCopy(temporary, temporary_bytes, input, output, n, Ascending<Key>{},
                                            static_cast<cudaStream_t>(stream));
}

template <class Key, class Value>
int cub_merge_sort_pairs(void* temporary, std::size_t& temporary_bytes, const Key* keys_in,
                         const Value* values_in, Key* keys_out, Value* values_out, long long n,
                         void* stream) {
  return cub::DeviceMergeSort::SortPairsCopy(temporary, temporary_bytes, keys_in, values_in, keys_out,
                                             values_out, n, Ascending<Key>{},
                                             static_cast<cudaStream_t>(stream));
}

template <class Key>
int cub_radix_sort(void* temporary, std::size_t& temporary_bytes, const Key* input, Key* output, long long n,
                   void* stream) {
  return cub::DeviceRadixSort::SortKeys(temporary, temporary_bytes, input, output, n, 0, 8 * sizeof(Key),
                                        static_cast<cudaStream_t>(stream));
}

template <class Key, class Value>
int cub_radix_sort_pairs(void* temporary, std::size_t& temporary_bytes, const Key* keys_in,
                         const Value* values_in, Key* keys_out, Value* values_out, long long n,
                         void* stream) {
  return cub::DeviceRadixSort::SortPairs(temporary, temporary_bytes, keys_in, keys_out, values_in, values_out,
                                         n, 0, 8 * sizeof(Key), static_cast<cudaStream_t>(stream));
}

template <class T>
int cub_exclusive_sum(void* temporary, std::size_t& temporary_bytes, const T* input, T* output, long long n,
                      void* stream) {
  return cub::DeviceScan::ExclusiveSum(temporary, temporary_bytes, input, output, n,
                                       static_cast<cudaStream_t>(stream));
}

template <class T>
int cub_sum(void* temporary, std::size_t& temporary_bytes, const T* input, T* output, long long n,
            void* stream) {
  return cub::DeviceReduce::Sum(temporary, temporary_bytes, input, output, n,
                                static_cast<cudaStream_t>(stream));
}

#define FATHOM_CUB_KEYS(Key) \
  template int cub_merge_sort(void*, std::size_t&, const Key*, Key*, long long, void*);
FATHOM_CUB_KEYS(unsigned)
FATHOM_CUB_KEYS(unsigned long long)
FATHOM_CUB_KEYS(int)
FATHOM_CUB_KEYS(long long)
FATHOM_CUB_KEYS(float)
FATHOM_CUB_KEYS(double)
FATHOM_CUB_KEYS(CubPoint)
FATHOM_CUB_KEYS(CubRational)

#define FATHOM_CUB_RADIX_KEYS(Key) \
  template int cub_radix_sort(void*, std::size_t&, const Key*, Key*, long long, void*);
FATHOM_CUB_RADIX_KEYS(unsigned)
FATHOM_CUB_RADIX_KEYS(unsigned long long)
FATHOM_CUB_RADIX_KEYS(int)
FATHOM_CUB_RADIX_KEYS(long long)
FATHOM_CUB_RADIX_KEYS(float)
FATHOM_CUB_RADIX_KEYS(double)

#define FATHOM_CUB_PAIRS(Key, Value)                                                                        \
  template int cub_merge_sort_pairs(void*, std::size_t&, const Key*, const Value*, Key*, Value*, long long, \
                                    void*);                                                                 \
  template int cub_radix_sort_pairs(void*, std::size_t&, const Key*, const Value*, Key*, Value*, long long, \
                                    void*);
FATHOM_CUB_PAIRS(unsigned, unsigned)
FATHOM_CUB_PAIRS(unsigned long long, unsigned)
FATHOM_CUB_PAIRS(unsigned long long, unsigned long long)

#define FATHOM_CUB_VALUES(T)                                                           \
  template int cub_exclusive_sum(void*, std::size_t&, const T*, T*, long long, void*); \
  template int cub_sum(void*, std::size_t&, const T*, T*, long long, void*);
FATHOM_CUB_VALUES(unsigned)
FATHOM_CUB_VALUES(unsigned long long)
FATHOM_CUB_VALUES(float)
FATHOM_CUB_VALUES(double)
FATHOM_CUB_VALUES(CubPair)

}  // namespace fathom
