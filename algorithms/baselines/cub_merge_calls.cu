// SPDX-License-Identifier: Apache-2.0
// Those calls of cub_calls.h that merge two lists.
#include "cub_calls.h"

#include <cub/device/device_merge.cuh>

namespace fathom {

constexpr Cub this_cub = Cub::FATHOM_CUB;

template <Cub, class Key>
int cub_merge_lists(void* temporary, std::size_t& temporary_bytes, const Key* a, long long n_a, const Key* b,
                    long long n_b, Key* output, void* stream) {
  return cub::DeviceMerge::MergeKeys(temporary, temporary_bytes, a, n_a, b, n_b, output, cuda::std::less<>{},
                                     static_cast<cudaStream_t>(stream));
}

template <Cub, class Key, class Value>
int cub_merge_lists_of_pairs(void* temporary, std::size_t& temporary_bytes, const Key* keys_a,
                             const Value* values_a, long long n_a, const Key* keys_b, const Value* values_b,
                             long long n_b, Key* keys_out, Value* values_out, void* stream) {
  return cub::DeviceMerge::MergePairs(temporary, temporary_bytes, keys_a, values_a, n_a, keys_b, values_b,
                                      n_b, keys_out, values_out, cuda::std::less<>{},
                                      static_cast<cudaStream_t>(stream));
}

#define FATHOM_CUB_KEYS(Key)                                                                                \
  template int cub_merge_lists<this_cub>(void*, std::size_t&, const Key*, long long, const Key*, long long, \
                                         Key*, void*);
FATHOM_CUB_KEYS(unsigned)
FATHOM_CUB_KEYS(unsigned long long)
FATHOM_CUB_KEYS(int)
FATHOM_CUB_KEYS(long long)

#define FATHOM_CUB_PAIRS(Key, Value)                                                                        \
  template int cub_merge_lists_of_pairs<this_cub>(void*, std::size_t&, const Key*, const Value*, long long, \
                                                  const Key*, const Value*, long long, Key*, Value*, void*);
FATHOM_CUB_PAIRS(unsigned, unsigned)
FATHOM_CUB_PAIRS(unsigned long long, unsigned)
FATHOM_CUB_PAIRS(unsigned long long, unsigned long long)

}  // namespace fathom
