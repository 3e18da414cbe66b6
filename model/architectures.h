// SPDX-License-Identifier: Apache-2.0
// NVIDIA's architectures: what a multiprocessor of each has, and how far it is supported. A new one is a row
// in architectures.cpp, and its work tables (docs/work-tables.md).
#pragma once

#include <fathom/model/machine.h>

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace fathom {

/// Each includes those before it.
enum class Support {
  limits,    ///< kernels run and their accesses are counted: an architecture of a generation below
  compiled,  ///< tests compile every kernel for it
  tables     ///< the pipe of each opcode is known (device/code/pipes.h), and work tables ship
};

struct Architecture {
  int compute_capability;  ///< 90 for sm_90
  // Of a multiprocessor.
  int threads, blocks;  ///< resident, at most
  int shared_KiB;       ///< of shared memory, at most
  int cores;            ///< 32-bit floating-point units
  Support support;

  OccupancyLimits limits() const;
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
/// Compute capabilities of those with at least this support, in ascending order.
std::vector<int> supported_architectures(Support least);
/// Those with tables, for messages and help: "sm_80, sm_90 or sm_100".
std::string architecture_choices();

}  // namespace fathom
