#include "cub_calls.h"

#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>

namespace fathom {

__host__ __device__ inline CubPair operator+(const CubPair& a, const CubPair& b) {
  return {a.first + b.first, a.second + b.second};
}

template <class Key>
int cub_merge_sort(void* temporary, std::size_t& temporary_bytes, const Key* input, Key* output, long long n,
                   void* stream) {
  const auto less = [] __device__(const Key& a, const Key& b) { return a < b; };
  return cub::DeviceMergeSort::SortKeysCopy(temporary, temporary_bytes, input, output, n, less,
                                            static_cast<cudaStream_t>(stream));
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

#define FATHOM_CUB_VALUES(T)                                                           \
  template int cub_exclusive_sum(void*, std::size_t&, const T*, T*, long long, void*); \
  template int cub_sum(void*, std::size_t&, const T*, T*, long long, void*);
FATHOM_CUB_VALUES(unsigned)
FATHOM_CUB_VALUES(unsigned long long)
FATHOM_CUB_VALUES(float)
FATHOM_CUB_VALUES(double)
FATHOM_CUB_VALUES(CubPair)

}  // namespace fathom
