// The launches of an algorithm: its geometry, written once. The solver runs a plan, the model prices it, and
// the memory check, the compiler and the counting read it.
#pragma once

#include <fathom/core/kernel.h>
#include <fathom/core/portable.h>

#include <array>
#include <functional>
#include <vector>

namespace fathom {

/// Threads and dynamic shared memory of one block: fixed when a kernel is prepared.
struct BlockShape {
  int threads = 0;
  int shared_bytes = 0;
  /// Percentage that the launch wants of the most shared memory that a multiprocessor can have; the driver
  /// takes the next size that the hardware can be set to. −1 leaves it to the driver, which then takes what
  /// as many blocks need as fit otherwise. What is left is the L1's, and holds the loads in flight.
  int carveout = -1;
  bool operator==(const BlockShape&) const = default;
};

/// A kernel launch, or several of the same shape, which other launches may come between.
struct Launch {
  static constexpr std::size_t most_constants = 3;

  const KernelInfo* kernel;
  std::array<int, most_constants> constants{};  ///< that the kernel is specialised for
  int constant_count = 0;
  Index blocks = 1;
  BlockShape shape;
  double repeats = 1;

  std::string_view name() const { return kernel->name; }
  KernelSource source() const { return kernel->source({constants.data(), std::size_t(constant_count)}); }
  double threads() const { return double(blocks) * shape.threads; }  ///< of one of the launches
};
using Plan = std::vector<Launch>;

/// What a plan may depend on besides the problem. A model of a GPU answers from its limits and an estimate of
/// the kernel's registers, a GPU's executor from the compiled kernel.
struct PlanDevice {
  int multiprocessors;
  double shared_bytes_per_multiprocessor;
  double shared_bytes_reserved;                       ///< of each block, by the system
  std::function<int(const Launch&)> resident_blocks;  ///< on one multiprocessor at once; 0 where none fits

  /// On the whole device at once; at least 1, so that a plan exists where no block fits.
  Index resident(const Launch& launch) const {
    return max(Index(1), Index(multiprocessors) * resident_blocks(launch));
  }
};

}  // namespace fathom
