// What the counting executor finds out about a kernel.
#pragma once

#include <fathom/device/contract/types.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace fathom {

/// Accesses of warps to global memory. A warp access is what the lanes of one warp do at one place of the
/// source, once, since they last converged.
struct GlobalAccesses {
  u64 accesses = 0;      ///< warp accesses
  u64 words = 0;         ///< 32-bit words that the threads asked for, all together
  u64 warp_words = 0;    ///< the same had no lane been idle: idle ones take their turn, too
  u64 sectors = 0;       ///< aligned 32-byte pieces that the warp accesses touch: what moves
  u64 useful_bytes = 0;  ///< distinct bytes asked for, per warp access

  double moved_bytes() const { return 32.0 * double(sectors); }
  GlobalAccesses& operator+=(const GlobalAccesses& other);
};

/// Accesses of warps to shared memory, of w = 32 banks of one 32-bit word.
struct SharedAccesses {
  u64 accesses = 0;  ///< warp accesses
  u64 words = 0;     ///< 32-bit words that the threads asked for, all together; of less than a word, one each
  u64 warp_words = 0;  ///< the same had no lane been idle
  /// Passes through the banks. Loads and stores take as many as distinct words meet in one bank, atomics as
  /// many as lanes do, for those of one word wait for each other, too.
  u64 wavefronts = 0;
  u64 least_wavefronts = 0;  ///< the same if nothing met: one, or one per 128 bytes of wider elements

  /// β, mean serialisation by bank conflicts; 1 = none.
  double conflict() const { return least_wavefronts ? double(wavefronts) / double(least_wavefronts) : 1.0; }
  SharedAccesses& operator+=(const SharedAccesses& other);
};

enum class MemoryOperation { load, store, atomic };
std::string_view name(MemoryOperation operation);  ///< "load", "store", "atomic"

/// The accesses made at one place of the source. Only one of the two memories has any.
struct AccessSite {
  std::string function;  ///< "merge_path"
  std::string file;      ///< "merge_path.h"
  unsigned line = 0, column = 0;
  MemoryOperation operation = MemoryOperation::load;
  GlobalAccesses global;
  SharedAccesses shared;
};

/// What a warp does besides accessing memory. Of comparisons, as many as the busiest of its lanes makes.
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

/// All launches of one kernel together.
struct KernelCounts {
  std::string kernel;  ///< "BlockSort"
  u64 launches = 0;
  u64 blocks = 0;
  int threads_per_block = 0;
  int shared_bytes_per_block = 0;
  u64 footprint_bytes = 0;  ///< distinct bytes of global memory that a launch touches, summed over launches
  std::array<u64, all_instructions.size()> instructions{};  ///< warp instructions
  std::vector<AccessSite> sites;                            ///< in the order of the source

  u64 count(Instruction instruction) const { return instructions[std::size_t(instruction)]; }
  GlobalAccesses global(MemoryOperation operation) const;
  SharedAccesses shared(MemoryOperation operation) const;
  GlobalAccesses global() const;  ///< loads, stores and atomics
  SharedAccesses shared() const;
  /// Of all accesses to shared memory made in `function`.
  SharedAccesses shared_in(std::string_view function) const;
};

}  // namespace fathom
