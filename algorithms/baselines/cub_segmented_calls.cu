// SPDX-License-Identifier: Apache-2.0
// Those calls of cub_calls.h that sort many lists: the kernels take long to compile.
#include "cub_calls.h"

#include <cub/device/device_segmented_radix_sort.cuh>
#include <cub/device/device_segmented_sort.cuh>

namespace fathom {

constexpr Cub this_cub = Cub::FATHOM_CUB;

template <Cub, class Key>
int cub_segmented_sort(void* temporary, std::size_t& temporary_bytes, const Key* input, Key* output,
                       const CubLists& lists, void* stream) {
  return cub::DeviceSegmentedSort::StableSortKeys(temporary, temporary_bytes, input, output, lists.n,
                                                  lists.count, lists.begins, lists.begins + 1,
                                                  static_cast<cudaStream_t>(stream));
}

template <Cub, class Key, class Value>
int cub_segmented_sort_pairs(void* temporary, std::size_t& temporary_bytes, const Key* keys_in,
                             const Value* values_in, Key* keys_out, Value* values_out, const CubLists& lists,
                             void* stream) {
  return cub::DeviceSegmentedSort::StableSortPairs(temporary, temporary_bytes, keys_in, keys_out, values_in,
                                                   values_out, lists.n, lists.count, lists.begins,
                                                   lists.begins + 1, static_cast<cudaStream_t>(stream));
}

template <Cub, class Key>
int cub_segmented_radix(void* temporary, std::size_t& temporary_bytes, const Key* input, Key* output,
                        const CubLists& lists, void* stream) {
  return cub::DeviceSegmentedRadixSort::SortKeys(
      temporary, temporary_bytes, input, output, static_cast<int>(lists.n), static_cast<int>(lists.count),
      lists.begins, lists.begins + 1, 0, 8 * sizeof(Key), static_cast<cudaStream_t>(stream));
}

template <Cub, class Key, class Value>
int cub_segmented_radix_pairs(void* temporary, std::size_t& temporary_bytes, const Key* keys_in,
                              const Value* values_in, Key* keys_out, Value* values_out, const CubLists& lists,
                              void* stream) {
  return cub::DeviceSegmentedRadixSort::SortPairs(
      temporary, temporary_bytes, keys_in, keys_out, values_in, values_out, static_cast<int>(lists.n),
      static_cast<int>(lists.count), lists.begins, lists.begins + 1, 0, 8 * sizeof(Key),
      static_cast<cudaStream_t>(stream));
}

#define FATHOM_CUB_LISTS_OF_KEYS(Key)                                                                       \
  template int cub_segmented_sort<this_cub>(void*, std::size_t&, const Key*, Key*, const CubLists&, void*); \
  template int cub_segmented_radix<this_cub>(void*, std::size_t&, const Key*, Key*, const CubLists&, void*);
FATHOM_CUB_LISTS_OF_KEYS(unsigned)
FATHOM_CUB_LISTS_OF_KEYS(unsigned long long)
FATHOM_CUB_LISTS_OF_KEYS(int)
FATHOM_CUB_LISTS_OF_KEYS(long long)
FATHOM_CUB_LISTS_OF_KEYS(float)
FATHOM_CUB_LISTS_OF_KEYS(double)

#define FATHOM_CUB_LISTS_OF_PAIRS(Key, Value)                                                           \
  template int cub_segmented_sort_pairs<this_cub>(void*, std::size_t&, const Key*, const Value*, Key*,  \
                                                  Value*, const CubLists&, void*);                      \
  template int cub_segmented_radix_pairs<this_cub>(void*, std::size_t&, const Key*, const Value*, Key*, \
                                                   Value*, const CubLists&, void*);
FATHOM_CUB_LISTS_OF_PAIRS(unsigned, unsigned)
FATHOM_CUB_LISTS_OF_PAIRS(unsigned long long, unsigned)
FATHOM_CUB_LISTS_OF_PAIRS(unsigned long long, unsigned long long)

}  // namespace fathom
