// SPDX-License-Identifier: Apache-2.0
// The launches of an algorithm: its geometry, defined once. The solver runs a plan and the model prices it;
// the memory check, ahead-of-time compilation and counting read it.
#pragma once

#include <fathom/core/kernel.h>
#include <fathom/core/portable.h>

#include <array>
#include <functional>
#include <limits>
#include <vector>

namespace fathom {

/// Threads and dynamic shared memory of one block: fixed when a kernel is prepared.
struct BlockShape {
  int threads = 0;
  int shared_bytes = 0;
  /// Preferred percentage of a multiprocessor's maximum shared memory; the driver rounds up to a size that
  /// the hardware supports. −1 leaves it to the driver, which then provides for as many blocks as fit
  /// otherwise. The rest becomes L1, which holds the loads in flight.
  int carveout = -1;
  bool operator==(const BlockShape&) const = default;
};

/// How the number of a launch's blocks follows from its elements.
enum class Grid {
  fixed,     ///< it does not: every block has its share, however many elements there are
  tiles,     ///< a block for every tile
  resident,  ///< a block for every tile, up to what the device runs at a time, and then more tiles for each
  buckets    ///< a block for every bucket, whose sizes differ and whose number grows in steps
};

/// A kernel launch, or several of the same shape, possibly interleaved with other launches.
struct Launch {
  static constexpr std::size_t most_constants = 3;

  const KernelInfo* kernel;
  std::array<int, most_constants> constants{};  ///< for which the kernel is specialised
  int constant_count = 0;
  Index blocks = 1;
  BlockShape shape;
  double repeats = 1;
  /// On which it works, and on which the work of its blocks depends; fewer than n where it reduces what
  /// others left. 0 stands for n.
  double elements = 0;
  /// Independent parts into which that is cut, which the blocks share. 0 stands for as many as the launch
  /// ahead of it in the plan has blocks.
  double parts = 0;
  bool in_place = false;  ///< what it writes are the elements that it has read
  int sleep_ns = 0;       ///< that every block sleeps on purpose
  /// The blocks of a fixed grid take its tiles in their order: what they read at a time lies together, and so
  /// does what they write.
  bool in_turn = false;
  /// This share of what a block reads and writes takes place while it does nothing else. A block that reads
  /// ahead waits for its first tile alone, and has nothing left to do but to write its last one.
  double exposed_traffic = 1;

  // Counting chooses sizes that represent large n by these (counting/sizes.h). A plan that leaves
  // these as they are is counted with a fixed grid.
  Grid grid = Grid::fixed;
  double tile = 0;  ///< elements of a full block of Grid::tiles, or that justify another of Grid::resident
  /// Elements that one level divides, of a launch that divides them into parts level by level; else 0.
  double level = 0;
  /// The largest n that has the launch, if only small problems have it; else 0.
  double largest_n = 0;

  std::string_view name() const { return kernel->name; }
  KernelSource source() const { return kernel->source({constants.data(), std::size_t(constant_count)}); }
  double threads() const { return double(blocks) * shape.threads; }  ///< per launch
};
using Plan = std::vector<Launch>;

/// The device, as far as a plan may depend on it. A machine model answers from its limits and the kernel's
/// registers (plan_device() in model/descriptor.h), a GPU executor from the compiled kernel.
struct PlanDevice {
  int multiprocessors;
  double shared_bytes_per_multiprocessor;
  double shared_bytes_reserved;                       ///< per block, by the system
  std::function<int(const Launch&)> resident_blocks;  ///< per multiprocessor; 0 if none fits
  /// The most for one block: plans choose tiles that fit. Unlimited where no particular device is asked
  /// about.
  double shared_bytes_per_block = std::numeric_limits<double>::infinity();
  /// The GPU's memory, for algorithms whose data pass through it in parts. Unlimited where no particular
  /// device is asked about, or its memory is unknown.
  double memory_bytes = std::numeric_limits<double>::infinity();

  /// Resident blocks on the whole device; at least 1, so that a plan exists even if no block fits.
  Index resident(const Launch& launch) const {
    return max(Index(1), Index(multiprocessors) * resident_blocks(launch));
  }
};

/// A device with a block per multiprocessor, for the question which kernels a plan has: the grid does not
/// affect it, only the shared memory of a block does.
inline PlanDevice any_device(double shared_bytes_per_block = std::numeric_limits<double>::infinity()) {
  return {1, 0, 0, [](const Launch&) { return 1; }, shared_bytes_per_block};
}

}  // namespace fathom
