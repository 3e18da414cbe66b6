// SPDX-License-Identifier: Apache-2.0
#include <fathom/model/architectures.h>

#include <algorithm>
#include <array>

namespace fathom {
namespace {

// Threads, blocks and shared memory: "Technical Specifications per Compute Capability" in NVIDIA's "CUDA C++
// Programming Guide", for 7.0 its edition of CUDA 12. Units: "Throughput of Native Arithmetic Instructions"
// in the "CUDA C++ Best Practices Guide", and the white papers of the architectures; that of the RTX
// Blackwell GPUs (12.0) says that all its cores add integers, in place of a floating-point operation.
// Toolkits: release notes.
constexpr std::array<Architecture, 12> rows{{
    {70, 2048, 32, 96, 64, 32, false, {9, 0}, ToolkitVersion{12, 9}},
    {75, 1024, 16, 64, 64, 2, false, {10, 0}},
    {80, 2048, 32, 164, 64, 32, false, {11, 0}},
    {86, 1536, 16, 100, 128, 2, false, {11, 1}},
    {87, 1536, 16, 164, 128, 2, false, {11, 4}},
    {89, 1536, 24, 100, 128, 2, false, {11, 8}},
    {90, 2048, 32, 228, 128, 64, false, {11, 8}, {}, true},
    {100, 2048, 32, 228, 128, 64, false, {12, 8}},
    {103, 2048, 32, 228, 128, 2, false, {12, 9}},
    {110, 1536, 24, 228, 128, 2, false, {13, 0}},
    {120, 1536, 24, 100, 128, 2, true, {12, 8}},
    {121, 1536, 24, 100, 128, 2, true, {12, 9}},
}};

}  // namespace

std::string to_string(ToolkitVersion version) {
  return std::to_string(version.major) + "." + std::to_string(version.minor);
}

std::string Architecture::name() const {
  return "sm_" + std::to_string(compute_capability);
}

OccupancyLimits Architecture::limits() const {
  const double reserved = compute_capability >= 80 ? 1024 : 0, shared = shared_KiB * 1024.0;
  return {.threads_per_multiprocessor = threads,
          .blocks_per_multiprocessor = blocks,
          .shared_bytes_per_multiprocessor = shared,
          .shared_bytes_per_block = shared - reserved,
          .shared_bytes_reserved = reserved};
}

std::span<const Architecture> architectures() {
  return rows;
}

const Architecture* find_architecture(int compute_capability) {
  const auto found = std::ranges::find(rows, compute_capability, &Architecture::compute_capability);
  return found == rows.end() ? nullptr : &*found;
}

std::string architecture_choices() {
  std::string text;
  for (const Architecture& row : rows)
    text += (&row == rows.data() ? "" : &row == &rows.back() ? " or " : ", ") + row.name();
  return text;
}

std::optional<int> architecture_named(std::string_view text) {
  const auto found = std::ranges::find(rows, text, &Architecture::name);
  if (found == rows.end()) return std::nullopt;
  return found->compute_capability;
}

}  // namespace fathom
