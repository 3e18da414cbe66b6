// The abstract machines that warp accesses are costed on: the memory machines DMM and UMM (nakano2012;
// models.md §8) and the AGPU (agpu2015 §3; models.md §5).
//
// A cell is the address of one word: of shared memory on the DMM, of global memory on the UMM. What a warp
// accesses at once is a list of cells, in any order, repeated or not.
#pragma once

#include <fathom/core/portable.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace fathom {

/// Slots that one warp access takes in the pipeline of a DMM of `width` banks: the largest number of distinct
/// cells in one bank, cell mod width; 0 for no cells. Throws std::invalid_argument when width < 1.
int dmm_slots(std::span<const u64> cells, int width);
/// The same on a UMM: the number of distinct address groups ⌊cell / width⌋; 0 for no cells.
int umm_slots(std::span<const u64> cells, int width);

/// The requests of all warps of a kernel, each warp's in order, and where warps wait for each other.
///
/// The warps are the machine's. Where the machine is narrower than a kernel's warp of 32 lanes, consecutive
/// warps make up a group that stands for one of those. The last group of a block may be smaller.
class MachineTrace {
 public:
  /// 1 … most_slots: a request that takes so many slots; else one of the two waits.
  using Event = std::uint16_t;
  /// Until all warps of the block have come to theirs and have all their data.
  static constexpr Event wait_for_block = 0xffff;
  /// Until all warps of the group have.
  static constexpr Event wait_for_group = 0xfffe;
  static constexpr int most_slots = 0xfffd;

  /// A request's event. Throws std::invalid_argument outside 1 … most_slots.
  static Event request(int slots);

  /// Throws std::invalid_argument when a number is below 1.
  explicit MachineTrace(int warps_per_block, int warps_per_group = 1);
  /// For kernels with blocks of `threads`, on a machine of `width`: a group is what makes 32 lanes. A warp of
  /// a wider machine is one kernel warp, some of its lanes idle. Throws std::invalid_argument for a width
  /// below 32 that does not divide 32.
  static MachineTrace of_kernel(int threads, int width);

  /// Appends one block: the events of each of its warps. Throws std::invalid_argument for another number of
  /// warps than warps_per_block(), and for an event 0.
  void add_block(std::span<const std::vector<Event>> warps);

  int warps_per_block() const { return warps_per_block_; }
  int warps_per_group() const { return warps_per_group_; }
  u64 blocks() const { return ends_.size() / u64(warps_per_block_); }
  std::span<const Event> events(u64 block, int warp) const;

 private:
  int warps_per_block_, warps_per_group_;
  std::vector<Event> events_;  // of all warps, one behind the other
  std::vector<u64> ends_;      // where in events_ each warp's end
};

enum class MachineKind { dmm, umm };

/// A pipelined memory of `width` banks and a latency of `latency` time units. Warps are dispatched in turn,
/// those without a request skipped. A request of s slots occupies the pipeline for s units, and its data
/// arrive latency − 1 units after its last slot; only then may its warp send the next.
class MemoryMachine {
 public:
  /// Throws std::invalid_argument when width or latency is below 1.
  MemoryMachine(MachineKind kind, int width, int latency);

  /// Of one warp access on this kind of machine.
  int slots(std::span<const u64> cells) const;

  /// Units until the last data have arrived, with `threads` of them in the machine: as many blocks are
  /// resident as have whole warps among these, and the next block starts when one has all its data. Throws
  /// std::invalid_argument when not even one block has, and for a trace whose warps wait in vain, naming the
  /// block.
  u64 time(const MachineTrace& trace, u64 threads) const;

  /// The same for accesses written by hand, [warp][access][cell], with all warps resident and none waiting
  /// for another.
  u64 time(const std::vector<std::vector<std::vector<u64>>>& warps) const;

 private:
  MachineKind kind_;
  int width_, latency_;
};

/// What an algorithm costs on the AGPU.
struct AgpuCosts {
  u64 time = 0;          ///< instructions of the busiest multiprocessor, one launch after another
  u64 io = 0;            ///< blocks of global memory read or written, by all multiprocessors together
  u64 global_words = 0;  ///< in use at most
  u64 shared_words = 0;  ///< m, in use at most in one multiprocessor
  std::optional<double> multiplicity;  ///< M/m; none where no shared memory is used
};

/// AGPU(p, b, M): p cores in p/b multiprocessors of b cores, each with M words of shared memory in b banks;
/// global memory comes in blocks of b words. All cores of a multiprocessor run the same instruction: one warp
/// access is one instruction. The conflicts of a shared access serialise, so it counts as many as it has
/// slots.
class Agpu {
 public:
  /// What one block of threads does, from its first instruction to its last. `instructions` other than
  /// accesses are added by whoever counts them, one for each that a warp issues, of both sides where it
  /// diverges.
  struct Block {
    u64 instructions = 0;
    u64 io = 0;
  };

  /// Throws std::invalid_argument unless cores are a multiple of width ≥ 1, at least one, and shared_words
  /// ≥ 1.
  Agpu(u64 cores, int width, u64 shared_words);

  /// One warp access. Calls for different blocks may run side by side.
  void access_global(Block& block, std::span<const u64> cells) const;
  void access_shared(Block& block, std::span<const u64> cells) const;

  /// One kernel launch: its blocks are dealt to the multiprocessors in turn, and the next launch starts when
  /// all have ended. Throws std::invalid_argument when a block uses more shared words than a multiprocessor
  /// has.
  void launch(std::span<const Block> blocks, u64 shared_words_per_block);
  /// Global memory allocated at some time: input, output and work space.
  void use_global(u64 words);

  const AgpuCosts& costs() const { return costs_; }

 private:
  u64 multiprocessors_;
  int width_;
  u64 shared_words_;
  AgpuCosts costs_;
};

}  // namespace fathom
