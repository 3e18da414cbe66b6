// SPDX-License-Identifier: Apache-2.0
// What the counting executor counts for a kernel.
#pragma once

#include <fathom/core/kernel.h>
#include <fathom/device/contract/types.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace fathom {

/// Warp accesses to global memory. A warp access combines the accesses that the lanes of one warp make at one
/// source location, once each, since they last converged.
struct GlobalAccesses {
  u64 accesses = 0;    ///< warp accesses
  u64 words = 0;       ///< 32-bit words requested by all threads
  u64 warp_words = 0;  ///< the same if no lane were idle: idle lanes take time, too
  u64 sectors = 0;     ///< aligned 32-byte sectors that the warp accesses touch: what is moved
  u64 lines = 0;       ///< aligned 128-byte lines that they touch: passes through the L1
  /// Sectors that leave the multiprocessor, and the lines that have such sectors. Loads of a sector that the
  /// block has read so lately that its share of the L1 still has it do not count.
  u64 l2_sectors = 0, l2_lines = 0;
  /// Stores alone: sectors of which the block had written a part before its last barrier, and now writes
  /// another. 0 of blocks that communicate.
  u64 resumed_sectors = 0;
  u64 useful_bytes = 0;  ///< distinct bytes requested, per warp access

  double moved_bytes() const { return 32.0 * double(sectors); }
  GlobalAccesses& operator+=(const GlobalAccesses& other);
};

/// Warp accesses to shared memory with w = 32 banks, each one 32-bit word wide.
struct SharedAccesses {
  u64 accesses = 0;    ///< warp accesses
  u64 words = 0;       ///< 32-bit words requested by all threads; an access of less than a word counts as one
  u64 warp_words = 0;  ///< the same if no lane were idle
  /// Passes through the banks. Loads and stores take the largest number of distinct words in one bank.
  /// Atomics take the largest number of lanes in one bank, because atomics on the same word are serialised as
  /// well.
  u64 wavefronts = 0;
  u64 least_wavefronts = 0;  ///< the same without conflicts: one, or one per 128 bytes for wider elements

  /// β, mean serialisation caused by bank conflicts; 1 = none.
  double conflict() const { return least_wavefronts ? double(wavefronts) / double(least_wavefronts) : 1.0; }
  SharedAccesses& operator+=(const SharedAccesses& other);
};

enum class MemoryOperation { load, store, atomic };
std::string_view name(MemoryOperation operation);  ///< "load", "store", "atomic"

/// As far as AccessSite::warps_beyond goes: sixteen copies of an access of 16 bytes.
inline constexpr std::size_t most_words_of_warp = 64;

/// The accesses made at one source location: to global or to shared memory, never both.
struct AccessSite {
  std::string function;  ///< "merge_path"
  std::string file;      ///< "merge_path.h"
  std::string path;      ///< of the file, as the host's compiler was given it
  unsigned line = 0, column = 0;
  MemoryOperation operation = MemoryOperation::load;
  /// Warps that came here at least once, and how often a warp came here at least once between two points of
  /// convergence: what a loop around the access is entered at least.
  u64 warps = 0, visits = 0;
  u64 launches = 0;  ///< in which a warp came here
  /// [i]: warps whose accesses here moved more than i words per lane, for i < most_words_of_warp. Empty: not
  /// known.
  std::vector<u64> warps_beyond;
  GlobalAccesses global;
  SharedAccesses shared;
};

/// Warp instructions other than memory accesses. For comparisons, the number of the busiest lane counts.
enum class Instruction {
  shuffle,
  ballot,
  match,
  reduce,
  barrier,
  warp_barrier,
  copy_wait,
  compare,
  compare_exchange
};
inline constexpr std::array all_instructions{
    Instruction::shuffle,   Instruction::ballot,  Instruction::match,
    Instruction::reduce,    Instruction::barrier, Instruction::warp_barrier,
    Instruction::copy_wait, Instruction::compare, Instruction::compare_exchange};
std::string_view name(Instruction instruction);  ///< "shuffle", …, "compare-exchange"

/// The warp instructions of one kind, other than comparisons, made at one source location.
struct InstructionSite {
  std::string function, file, path;  ///< as in AccessSite
  unsigned line = 0, column = 0;
  Instruction instruction = Instruction::shuffle;
  u64 executions = 0;
  u64 words = 0;  ///< 32-bit words that a lane passes on, summed over the executions; 0 for barriers
};

/// The sum over all launches of one kernel.
struct KernelCounts {
  std::string kernel;   ///< "BlockSort"
  KernelSource source;  ///< what was compiled, and would be compiled for a GPU
  u64 launches = 0;
  u64 blocks = 0;
  int threads_per_block = 0;
  int shared_bytes_per_block = 0;
  u64 footprint_bytes = 0;      ///< distinct bytes of global memory touched by a launch, summed over launches
  u64 read_bytes = 0;           ///< those that were loaded, or changed atomically
  u64 written_bytes = 0;        ///< those that were stored, or changed atomically
  u64 fresh_read_bytes = 0;     ///< of read_bytes, those that no earlier launch touched
  u64 fresh_written_bytes = 0;  ///< of written_bytes, likewise
  std::array<u64, all_instructions.size()> instructions{};  ///< warp instructions
  u64 exchanged_words = 0;        ///< of an element, summed over the warps' compare-exchanges
  u64 steps = 0;                  ///< warp accesses and instructions, and what they would be
  u64 steps_if_busiest = 0;       ///< if each block took as many as the one of its launch that takes most
  std::vector<AccessSite> sites;  ///< in source order
  std::vector<InstructionSite> instruction_sites;  ///< in source order

  /// Steps of the busiest block of a launch over those of its blocks in the mean: at least 1.
  double busiest_over_mean() const { return steps ? double(steps_if_busiest) / double(steps) : 1.0; }
  u64 count(Instruction instruction) const { return instructions[std::size_t(instruction)]; }
  u64 words(Instruction instruction) const;  ///< as InstructionSite's
  GlobalAccesses global(MemoryOperation operation) const;
  SharedAccesses shared(MemoryOperation operation) const;
  GlobalAccesses global() const;  ///< loads, stores and atomics
  SharedAccesses shared() const;
  /// Accesses to shared memory made in `function`.
  SharedAccesses shared_in(std::string_view function) const;
};

}  // namespace fathom
