// SPDX-License-Identifier: Apache-2.0
// NVIDIA's architectures: what a multiprocessor of each has, and who compiles for it. A new one is a row in
// architectures.cpp, and its work tables (docs/work-tables.md).
#pragma once

#include <fathom/model/machine.h>

#include <compare>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace fathom {

/// Of a CUDA toolkit or of its run-time compiler: 12.9.
struct ToolkitVersion {
  int major, minor;
  auto operator<=>(const ToolkitVersion&) const = default;
};
std::string to_string(ToolkitVersion version);  ///< "12.9"

/// Kernels run on all of them, and their work can be counted.
struct Architecture {
  int compute_capability;  ///< 90 for sm_90
  // Of a multiprocessor.
  int threads, blocks;    ///< resident, at most
  int shared_KiB;         ///< of shared memory, at most
  int cores;              ///< 32-bit floating-point units
  int fp64_units;         ///< those of double precision
  bool cores_add;         ///< they also add integers, for which others have 64 units beside them
  ToolkitVersion oldest;  ///< that compiles for it
  std::optional<ToolkitVersion> newest{};  ///< absent: the newest that there is
  /// Counts of instructions were compared with the hardware counters of a GPU.
  bool checked = false;

  std::string name() const;  ///< "sm_90"
  OccupancyLimits limits() const;
  bool compiled_by(ToolkitVersion version) const {
    return version >= oldest && !(newest && version > *newest);
  }
};

/// What instructions take on a multiprocessor, in clocks: of an H200 and an H100.
struct MultiprocessorClocks {
  int schedulers = 4;    ///< each with pipes of its own
  int branch = 8;        ///< until the first instruction behind a branch that is taken: loops of pipe-*
  int shared = 23;       ///< from the issue of a load of one word to the use of it: pipe-lds4, wait.shared
  int shared_word = 2;   ///< more for each further word of a load: pipe-lds8, pipe-lds16
  int special = 23;      ///< special functions, constants, special registers: as the law takes it
  int barrier = 12;      ///< from the last warp until all go on: pipe-barrier
  int barrier_pass = 2;  ///< of each warp, one after another: pipe-barrier
};
/// Of a compute capability; absent where none are known.
constexpr std::optional<MultiprocessorClocks> multiprocessor_clocks(int compute_capability) {
  return compute_capability == 90 ? std::optional(MultiprocessorClocks{}) : std::nullopt;
}

/// In ascending order.
std::span<const Architecture> architectures();
/// nullptr for one that is not listed.
const Architecture* find_architecture(int compute_capability);
/// "sm_70, sm_75 or sm_80": all, for messages and help.
std::string architecture_choices();
/// "sm_90" → 90. Absent for one that is not listed.
std::optional<int> architecture_named(std::string_view name);

}  // namespace fathom
