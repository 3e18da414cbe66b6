// SPDX-License-Identifier: Apache-2.0
#include <fathom/model/machine.h>

#include <algorithm>
#include <cmath>

namespace fathom {

std::string_view name(Level level) {
  static constexpr std::array<std::string_view, all_levels.size()> names{"global", "l2", "shared",
                                                                         "register"};
  return names[std::size_t(level)];
}

void throw_missing(std::string_view constant, std::string_view machine) {
  throw MissingConstant("machine '" + std::string(machine) + "' has no value for the constant " +
                        std::string(constant) + ": calibrate it, or choose `law=published`");
}

void throw_missing_links(std::string_view machine) {
  throw MissingConstant(
      "machine '" + std::string(machine) +
      "' has no links to other GPUs or the host: measure them with fathom calibrate `links=true`");
}

namespace {

// The lanes of a warp, and the schedulers that share a multiprocessor's warps. Both are the same on every
// NVIDIA GPU since Kepler, so they are not fields of the machine.
constexpr int lanes_per_warp = 32;
constexpr int schedulers = 4;

int round_up(int value, int multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

int warps_within_registers(const OccupancyLimits& limits, double registers_per_thread) {
  // A report may say any number, of which an int need not hold the product.
  if (registers_per_thread * lanes_per_warp > limits.registers_per_multiprocessor) return 0;
  const int registers_per_warp =
      round_up(int(std::ceil(registers_per_thread)) * lanes_per_warp, limits.register_granularity);
  // Each scheduler has its own quarter of the register file: a warp cannot use registers of two quarters.
  return limits.registers_per_multiprocessor / schedulers / registers_per_warp * schedulers;
}

}  // namespace

int resident_blocks(const OccupancyLimits& limits, int threads_per_block, double registers_per_thread,
                    double shared_bytes_per_block) {
  if (threads_per_block < 1 || threads_per_block > limits.threads_per_block ||
      shared_bytes_per_block > limits.shared_bytes_per_block)
    return 0;
  const int threads = round_up(threads_per_block, lanes_per_warp);
  int blocks = std::min(limits.blocks_per_multiprocessor, limits.threads_per_multiprocessor / threads);
  if (registers_per_thread > 0)
    blocks =
        std::min(blocks, warps_within_registers(limits, registers_per_thread) / (threads / lanes_per_warp));
  if (shared_bytes_per_block > 0) {
    const double taken = shared_bytes_per_block + limits.shared_bytes_reserved;
    blocks = int(std::min(double(blocks), std::floor(limits.shared_bytes_per_multiprocessor / taken)));
  }
  return blocks;
}

int resident_blocks(const OccupancyLimits& limits, const BlockShape& shape, double registers_per_thread) {
  OccupancyLimits within = limits;
  if (shape.carveout >= 0) {
    const double most = limits.shared_bytes_per_multiprocessor;
    within.shared_bytes_per_multiprocessor = shared_allotment(
        most, std::max(most * shape.carveout / 100, shape.shared_bytes + limits.shared_bytes_reserved));
  }
  return resident_blocks(within, shape.threads, registers_per_thread, shape.shared_bytes);
}

// NVIDIA's programming guide lists these sizes; they are those of compute capability 8.0 and later, and 7.5
// does not have the smallest ones.
double shared_allotment(double most, double wanted) {
  constexpr double KiB = 1024;
  for (const double size : {0., 8., 16., 32., 64., 100., 132., 164., 196., 228.})
    if (size * KiB >= wanted) return std::min(size * KiB, most);
  return most;
}

double l1_bytes(const OccupancyLimits& limits, int resident, double shared_bytes_per_block, double carveout) {
  const double most = limits.shared_bytes_per_multiprocessor;
  const double taken =
      shared_bytes_per_block > 0 ? resident * (shared_bytes_per_block + limits.shared_bytes_reserved) : 0;
  return most + least_l1_bytes - shared_allotment(most, std::max(taken, carveout));
}

}  // namespace fathom
