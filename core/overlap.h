// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace fathom {

/// Returns whether two arrays, which begin at these addresses and have so many bytes, have a byte in common.
inline bool overlap(const void* one, std::size_t bytes_of_one, const void* other,
                    std::size_t bytes_of_other) {
  const auto a = reinterpret_cast<std::uintptr_t>(one), b = reinterpret_cast<std::uintptr_t>(other);
  return bytes_of_one > 0 && bytes_of_other > 0 && a < b + bytes_of_other && b < a + bytes_of_one;
}

}  // namespace fathom
