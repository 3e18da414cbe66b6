// SPDX-License-Identifier: Apache-2.0
// A compiled kernel, and how the kernel cache stores it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fathom {

struct CompiledKernel {
  std::vector<char> cubin;
  std::string symbol;  ///< mangled name of the entry function
};

/// The bytes of a cache entry: one line with the lengths of symbol and machine code and a checksum, then
/// both.
std::string encode_entry(const CompiledKernel& kernel);

/// Absent unless the bytes are exactly those of an entry whose checksum holds: the driver crashes on machine
/// code that is cut short.
std::optional<CompiledKernel> decode_entry(std::string_view bytes);

}  // namespace fathom
