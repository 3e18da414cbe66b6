// SPDX-License-Identifier: Apache-2.0
// A GPU as formulas see it: its cores, its limits, and a latency and a bandwidth per memory level.
#pragma once

#include <fathom/core/plan.h>
#include <fathom/core/units.h>
#include <fathom/model/links.h>

#include <array>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace fathom {

enum class Level { global, l2, shared, registers };
inline constexpr std::array all_levels{Level::global, Level::l2, Level::shared, Level::registers};
std::string_view name(Level level);  ///< "global", "l2", "shared", "register"

/// Thrown when a prediction needs a constant that is missing from the machine's profile; what() names it.
struct MissingConstant : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The constants of one level. Words are 32 bits. `Real` is double, or an autodiff number.
template <class Real>
struct LevelConstants {
  std::optional<Real> latency;    ///< L, clocks until a dependent instruction can issue
  std::optional<Real> bandwidth;  ///< B, words per clock per core
  std::optional<Real> issue;      ///< c, clocks an access occupies its thread, however many are in flight
  std::optional<Real> sharpness;  ///< s of the smooth knee (calibration fits it); empty = a sharp knee, s → ∞
};

/// Limits of one multiprocessor that determine how many blocks are resident on it. Zero is never a valid
/// value.
struct OccupancyLimits {
  int threads_per_multiprocessor = 2048;
  int blocks_per_multiprocessor = 32;
  int threads_per_block = 1024;
  int registers_per_multiprocessor = 65536;  ///< 32-bit registers
  int register_granularity = 256;            ///< registers are allocated to a warp in multiples of this
  double shared_bytes_per_multiprocessor = 0;
  double shared_bytes_per_block = 0;  ///< the maximum for one block
  double shared_bytes_reserved = 0;   ///< per block, by the system
};

/// What single resources can do, each measured by a microbenchmark of its own: the rates and latencies of the
/// law `counted`. Empty if not measured.
template <class Real>
struct Rates {
  // Memory, of the whole GPU. Bytes per second of streams, in a copy those read and those written together;
  // for scattered accesses, sectors of 32 bytes per second.
  std::optional<Real> dram_read, dram_write, dram_copy, dram_scattered;
  /// The bytes per second of a copy by a fixed grid, whose blocks are at as many places of the data at a
  /// time.
  std::optional<Real> dram_copy_by_grid;
  std::optional<Real> l2_read, l2_write, l2_copy, l2_scattered;
  /// Sectors per second that were written in part long ago, and are then written in another part.
  std::optional<Real> dram_resumed;
  /// Writes of a part of a sector per second, if the rest of the sector is written soon, by a neighbour.
  std::optional<Real> l2_partial;
  /// Sectors per second that atomics change, if all threads change the same 128 bytes, 1 KiB, or 64 KiB.
  std::optional<Real> atomics_line, atomics_kib, atomics_64_kib;
  // Per clock and multiprocessor: warp instructions of a pipe, those of all pipes, and wavefronts of the
  // load/store unit; for barriers, warps that pass one.
  std::optional<Real> alu, fma, issue, wavefronts, barriers;
  // Clocks from an instruction to the first that can use its result; for a barrier, from the last warp's
  // arrival.
  std::optional<Real> dram_latency, l2_latency, shared_latency, barrier_latency;
  /// Clocks for which a load from a saturated DRAM keeps its line in the L1.
  std::optional<Real> loaded_latency;
  std::optional<Real> turnover;  ///< clocks from the end of a block to the start of the one in its place
  /// How long a warp sleeps as a multiple of what it asks for: GPUs round, on an H200 2.5 µs to 4.
  std::optional<Real> sleep;
  std::optional<Real> fetch;  ///< extra clocks per instruction that runs for the first time
  /// How resources overlap, q, and how work overlaps waiting, s; and for few resident blocks, which use one
  /// resource after another between their barriers, the share of a lone block's time that nothing overlaps,
  /// and how it falls with more of them (counted.h).
  std::optional<Real> overlap, knee, phase_share, phase_decay;
};

template <class Real>
struct Machine {
  std::string name;
  int multiprocessors = 0;
  int cores_per_multiprocessor = 0;  ///< P is this times the multiprocessors
  int warp_width = 32;               ///< w, also the number of shared memory banks
  Hertz clock{};                     ///< of the multiprocessors, measured while kernels ran
  Bytes global_memory{};
  std::optional<Bytes> l2_capacity;
  OccupancyLimits limits;
  std::array<LevelConstants<Real>, all_levels.size()> levels;
  Rates<Real> rates;

  /// Seconds once per sequence of launches: to the first instruction and back.
  std::optional<Real> launch_overhead;
  std::optional<Real> kernel_gap;  ///< seconds between two consecutive kernels in a queue
  /// Clocks between the starts of two blocks on a multiprocessor when the GPU launches blocks as fast as it
  /// can: per block, and per warp of the block. The larger of the two counts. If one is missing, block starts
  /// take no time.
  std::optional<Real> block_start, warp_start;
  /// Share of global accesses that the L2 serves, as a function of the footprint f of a launch:
  /// 1 / (1 + (f / l2_half)^l2_steepness). Fitted to passes over footprints of all sizes. If one of the two
  /// is missing, the L2 serves nothing.
  std::optional<Real> l2_half;  ///< bytes
  /// Bytes; for launches that only read, which leave nothing to write back.
  std::optional<Real> l2_half_reading;
  std::optional<Real> l2_steepness;  ///< for both
  /// Extra seconds, beyond the bandwidth term, of a launch that reads everything from DRAM; scaled by DRAM's
  /// share otherwise. Measured on passes that only read. Empty = none.
  std::optional<Real> dram_start;

  std::optional<Links> links;  ///< between GPUs of this kind in one host, and with it; empty if not measured

  double P() const { return double(multiprocessors) * cores_per_multiprocessor; }
  /// M, the shared memory of the whole device in 32-bit words.
  double M() const { return limits.shared_bytes_per_multiprocessor * multiprocessors / 4; }

  LevelConstants<Real>& at(Level level) { return levels[std::size_t(level)]; }
  const LevelConstants<Real>& at(Level level) const { return levels[std::size_t(level)]; }
};

[[noreturn]] void throw_missing(std::string_view constant, std::string_view machine);
[[noreturn]] void throw_missing_links(std::string_view machine);

/// The constant; throws MissingConstant with its name and the machine's if it is missing.
template <class Real>
const Real& required(const std::optional<Real>& constant, std::string_view constant_name,
                     std::string_view machine) {
  if (!constant) throw_missing(constant_name, machine);
  return *constant;
}

/// The machine's links between GPUs, and to the host. Throws MissingConstant, which says how to measure them.
template <class Real>
const Links& required_links(const Machine<Real>& machine) {
  if (!machine.links) throw_missing_links(machine.name);
  return *machine.links;
}

/// Blocks of this shape resident on one multiprocessor; 0 if not even one fits.
int resident_blocks(const OccupancyLimits& limits, int threads_per_block, double registers_per_thread,
                    double shared_bytes_per_block);
/// The same under the shape's carve-out.
int resident_blocks(const OccupancyLimits& limits, const BlockShape& shape, double registers_per_thread);

/// What the L1 has beyond the largest shared memory, on every GPU since compute capability 8.0.
inline constexpr double least_l1_bytes = 28 * 1024;

/// The shared memory that the driver sets aside on a multiprocessor where `wanted` bytes are, of `most`:
/// rounded up to a size that the hardware supports. What remains of both memories is L1.
double shared_allotment(double most, double wanted);
/// The L1 of a multiprocessor with so many resident blocks, if the launch asks for `carveout` bytes of shared
/// memory.
double l1_bytes(const OccupancyLimits& limits, int resident, double shared_bytes_per_block, double carveout);

}  // namespace fathom
