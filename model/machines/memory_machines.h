// SPDX-License-Identifier: Apache-2.0
// Abstract machines that assign costs to warp accesses: the memory machines DMM and UMM (nakano2012)
// and the AGPU (agpu2015 §3).
//
// A cell is the address of one word: of shared memory on the DMM, of global memory on the UMM. A warp access
// is a list of cells, in any order, possibly with repetitions.
#pragma once

#include <fathom/core/portable.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace fathom {

/// Pipeline slots of one warp access on a DMM with `width` banks: the largest number of distinct cells in one
/// bank (cell mod width); 0 for no cells. Throws std::invalid_argument when width < 1.
int dmm_slots(std::span<const u64> cells, int width);
/// The same on a UMM: the number of distinct address groups (⌊cell / width⌋); 0 for no cells.
int umm_slots(std::span<const u64> cells, int width);

/// The requests and waits of a kernel's warps, in order for each warp.
///
/// Warps are those of the machine. If the machine is narrower than a kernel's warp of 32 lanes, a group of
/// consecutive warps represents one kernel warp. The last group of a block may be smaller.
class MachineTrace {
 public:
  /// 1 … most_slots: a request of that many slots; otherwise one of the two waits.
  using Event = std::uint16_t;
  /// Wait until all warps of the block have reached this wait and have all their data.
  static constexpr Event wait_for_block = 0xffff;
  /// The same for the warps of the group.
  static constexpr Event wait_for_group = 0xfffe;
  static constexpr int most_slots = 0xfffd;

  /// The event of a request. Throws std::invalid_argument outside 1 … most_slots.
  static Event request(int slots);

  /// Throws std::invalid_argument if an argument is below 1.
  explicit MachineTrace(int warps_per_block, int warps_per_group = 1);
  /// For kernels with blocks of `threads` threads on a machine of width `width`: a group has 32 lanes. On a
  /// wider machine a warp is one kernel warp, with idle lanes. Throws std::invalid_argument for a width below
  /// 32 that does not divide 32.
  static MachineTrace of_kernel(int threads, int width);

  /// Appends one block: the events of each of its warps. Throws std::invalid_argument if the number of warps
  /// is not warps_per_block(), and for an event 0.
  void add_block(std::span<const std::vector<Event>> warps);

  int warps_per_block() const { return warps_per_block_; }
  int warps_per_group() const { return warps_per_group_; }
  u64 blocks() const { return ends_.size() / u64(warps_per_block_); }
  std::span<const Event> events(u64 block, int warp) const;

 private:
  int warps_per_block_, warps_per_group_;
  std::vector<Event> events_;  // of all warps, concatenated
  std::vector<u64> ends_;      // end of each warp in events_
};

enum class MachineKind { dmm, umm };

/// A pipelined memory with `width` banks and a latency of `latency` time units. Warps are served round-robin,
/// skipping those without a request. A request of s slots occupies the pipeline for s units, and its data
/// arrive latency − 1 units after the last slot. Only then may the warp send its next request.
class MemoryMachine {
 public:
  /// Throws std::invalid_argument if width or latency is below 1.
  MemoryMachine(MachineKind kind, int width, int latency);

  /// Slots of one warp access on this kind of machine.
  int slots(std::span<const u64> cells) const;

  /// Time until the last data have arrived, on a machine with `threads` threads. As many blocks are resident
  /// as fit into these, and the next block starts when one has all its data. Throws std::invalid_argument if
  /// not even one block fits, and, naming the block, if the trace's warps wait forever.
  u64 time(const MachineTrace& trace, u64 threads) const;

  /// The same for hand-written accesses, [warp][access][cell], with all warps resident and without waits.
  u64 time(const std::vector<std::vector<std::vector<u64>>>& warps) const;

 private:
  MachineKind kind_;
  int width_, latency_;
};

/// The costs of an algorithm on the AGPU.
struct AgpuCosts {
  u64 time = 0;                        ///< instructions of the busiest multiprocessor, summed over launches
  u64 io = 0;                          ///< blocks of global memory read or written by all multiprocessors
  u64 global_words = 0;                ///< the most in use
  u64 shared_words = 0;                ///< m, the most in use on one multiprocessor
  std::optional<double> multiplicity;  ///< M/m; empty if no shared memory is used
};

/// AGPU(p, b, M): p cores in p/b multiprocessors of b cores, each with M words of shared memory in b banks;
/// global memory comes in blocks of b words. All cores of a multiprocessor run the same instruction: one warp
/// access is one instruction. Bank conflicts serialise, so a shared access counts as one instruction per
/// slot.
class Agpu {
 public:
  /// The cost of one block of threads. The caller adds `instructions` that are not accesses: one for each
  /// that a warp issues, on both sides of a divergent branch.
  struct Block {
    u64 instructions = 0;
    u64 io = 0;
  };

  /// Throws std::invalid_argument unless `cores` is a positive multiple of width ≥ 1, and shared_words ≥ 1.
  Agpu(u64 cores, int width, u64 shared_words);

  /// One warp access. Calls for different blocks may run concurrently.
  void access_global(Block& block, std::span<const u64> cells) const;
  void access_shared(Block& block, std::span<const u64> cells) const;

  /// One kernel launch: blocks go to the multiprocessors round-robin, and the next launch starts when all
  /// have ended. Throws std::invalid_argument if a block uses more shared words than a multiprocessor has.
  void launch(std::span<const Block> blocks, u64 shared_words_per_block);
  /// Global memory allocated at one time: input, output and work space.
  void use_global(u64 words);

  const AgpuCosts& costs() const { return costs_; }

 private:
  u64 multiprocessors_;
  int width_;
  u64 shared_words_;
  AgpuCosts costs_;
};

}  // namespace fathom
