// SPDX-License-Identifier: Apache-2.0
// A tile in shared memory, padded so that threads whose shares are apart by a multiple of E do not meet in a
// bank.
#pragma once

#include <fathom/device/contract/contract.h>

namespace fathom {

/// Elements after which the banks repeat: 32 of 1 or 3 words, 16 of 2, 8 of 4.
template <class T>
inline constexpr int elements_of_banks = sizeof(T) % 16 == 0  ? 8
                                         : sizeof(T) % 8 == 0 ? 16
                                                              : 32;

/// Where element x ≥ 0 of a tile of shares of E elements is, E a power of two. One place is left out after
/// each row of banks, or share if that is longer, and as many more after as many shares as there are banks
/// that these begin in the same bank. So any such number of consecutive shares begin in different banks, and
/// padded(E·q + j) = padded(E·q) + j for 0 ≤ j < E.
template <class T, class Elements>
FATHOM_DEVICE
constexpr int padded(int x, Elements elements) {
  constexpr u32 banks = elements_of_banks<T>;
  const u32 at = u32(x), share = u32(int(elements));  // unsigned: divisions are shifts
  if (share >= banks) return int(at + at / share);
  return int(at + at / banks + at / (banks * share) * (banks - share));
}

}  // namespace fathom
