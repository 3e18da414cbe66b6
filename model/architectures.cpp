// SPDX-License-Identifier: Apache-2.0
#include <fathom/model/architectures.h>

#include <algorithm>
#include <array>

namespace fathom {
namespace {

// From the table of compute capabilities in NVIDIA's programming guide; cores from the architectures' white
// papers.
constexpr std::array<Architecture, 9> rows{{{75, 1024, 16, 64, 64, Support::compiled},
                                            {80, 2048, 32, 164, 64, Support::tables},
                                            {86, 1536, 16, 100, 128, Support::compiled},
                                            {87, 1536, 16, 164, 128, Support::limits},
                                            {89, 1536, 24, 100, 128, Support::limits},
                                            {90, 2048, 32, 228, 128, Support::tables},
                                            {100, 2048, 32, 228, 128, Support::tables},
                                            {103, 2048, 32, 228, 128, Support::limits},
                                            {120, 1536, 24, 100, 128, Support::compiled}}};

}  // namespace

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

std::vector<int> supported_architectures(Support least) {
  std::vector<int> supported;
  for (const Architecture& row : rows)
    if (row.support >= least) supported.push_back(row.compute_capability);
  return supported;
}

std::string architecture_choices() {
  const std::vector<int> choices = supported_architectures(Support::tables);
  std::string text;
  for (const int choice : choices)
    text += (text.empty() ? "sm_" : choice == choices.back() ? " or sm_" : ", sm_") + std::to_string(choice);
  return text;
}

}  // namespace fathom
