// SPDX-License-Identifier: Apache-2.0
#include <fathom/algorithms/scan/arrays.h>

#include <cstdint>
#include <stdexcept>
#include <string>

namespace fathom {
namespace {

constexpr std::size_t widest_access = 16;

[[noreturn]] void refuse(std::string_view scan, const std::string& why) {
  throw std::invalid_argument(std::string(scan) + ": " + why);
}

}  // namespace

void check_aligned(std::string_view scan, ArrayBytes array) {
  if (reinterpret_cast<std::uintptr_t>(array.begin) % widest_access != 0)
    refuse(scan, "arrays must begin at a multiple of " + std::to_string(widest_access) + " bytes");
}

void check_arrays(std::string_view scan, ArrayBytes input, ArrayBytes output, Index n,
                  std::size_t element_bytes, InPlace in_place) {
  if (input.count != u64(n) || output.count != u64(n))
    refuse(scan, "made for " + std::to_string(n) + " elements, but the input has " +
                     std::to_string(input.count) + " and the output " + std::to_string(output.count));
  check_aligned(scan, input);
  check_aligned(scan, output);
  const std::size_t bytes = std::size_t(n) * element_bytes;
  const bool overlap = input.begin < output.begin + bytes && output.begin < input.begin + bytes;
  if (!overlap) return;
  if (in_place == InPlace::refused)
    refuse(scan, "input and output overlap, but it does not work in place: use separate arrays");
  if (input.begin != output.begin)
    refuse(scan, "input and output overlap: use the same array for both or separate ones");
}

}  // namespace fathom
