#include "cub_calls.h"

#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_scan.cuh>

namespace fathom {

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

template int cub_merge_sort(void*, std::size_t&, const unsigned*, unsigned*, long long, void*);
template int cub_merge_sort(void*, std::size_t&, const unsigned long long*, unsigned long long*, long long,
                            void*);
template int cub_exclusive_sum(void*, std::size_t&, const unsigned*, unsigned*, long long, void*);
template int cub_exclusive_sum(void*, std::size_t&, const unsigned long long*, unsigned long long*, long long,
                               void*);

}  // namespace fathom
