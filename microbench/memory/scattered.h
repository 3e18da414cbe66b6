// SPDX-License-Identifier: Apache-2.0
// Where random accesses go, computed alike by kernels and by their tests.
#pragma once

// A permutation of the numbers up to `mask`, a power of two less one: multiplications by odd numbers and
// shifts that are exclusive-ored each permute them.
#define FATHOM_SCATTERED                                    \
  constexpr unsigned scattered(unsigned i, unsigned mask) { \
    i = (i & mask) * 0x9e3779b1u & mask;                    \
    i ^= i >> 9;                                            \
    i = i * 0x85ebca6bu & mask;                             \
    i ^= i >> 13;                                           \
    return i * 0xc2b2ae35u & mask;                          \
  }

namespace fathom::microbench {

FATHOM_SCATTERED

#define FATHOM_AS_TEXT(...) #__VA_ARGS__
#define FATHOM_EXPANDED_AS_TEXT(...) FATHOM_AS_TEXT(__VA_ARGS__)
/// The same function as CUDA source.
inline constexpr const char* scattered_text = FATHOM_EXPANDED_AS_TEXT(FATHOM_SCATTERED) "\n";
#undef FATHOM_EXPANDED_AS_TEXT
#undef FATHOM_AS_TEXT
#undef FATHOM_SCATTERED

}  // namespace fathom::microbench
