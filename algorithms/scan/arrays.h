// SPDX-License-Identifier: Apache-2.0
// Checks of the arrays that the host side of a scan receives.
#pragma once

#include <fathom/device/executor.h>

#include <string_view>

namespace fathom {

enum class InPlace { allowed, refused };

/// An array on a device, of any element type.
struct ArrayBytes {
  template <class T>
  ArrayBytes(Span<T> span) : begin(reinterpret_cast<const std::byte*>(span.data)), count(span.count) {}
  const std::byte* begin;
  u64 count;  ///< number of elements
};

/// Throws std::invalid_argument, naming `scan`, unless the array begins at a multiple of 16 bytes.
void check_aligned(std::string_view scan, ArrayBytes array);

/// Throws std::invalid_argument, naming `scan`, unless input and output have n elements each, begin at
/// multiples of 16 bytes, and do not overlap or, if that is allowed, are the same array.
void check_arrays(std::string_view scan, ArrayBytes input, ArrayBytes output, Index n,
                  std::size_t element_bytes, InPlace in_place);

}  // namespace fathom
