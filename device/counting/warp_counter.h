// SPDX-License-Identifier: Apache-2.0
// Assembles warp accesses from the accesses of the lanes, and counts them. Used only inside the counting
// executor.
#pragma once

#include <fathom/device/contract/counting_block.h>
#include <fathom/device/counting/counts.h>

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <unordered_map>
#include <vector>

namespace fathom::counting {

inline constexpr std::size_t sector_bytes = 32, line_bytes = 128;

/// One access of one thread, kept small: a launch makes millions.
class ThreadAccess {
 public:
  /// `address` is in bytes: in global memory, or relative to the block's shared memory.
  ThreadAccess(Access access, std::uint64_t address, std::size_t bytes, Where where)
      : where_(where),
        packed_(address | std::uint64_t(bytes) << address_bits | std::uint64_t(access) << 60) {}

  Access access() const { return Access(packed_ >> 60); }
  std::size_t bytes() const { return packed_ >> address_bits & 0xfff; }
  std::uint64_t address() const { return packed_ & ((std::uint64_t(1) << address_bits) - 1); }
  Where where() const { return where_; }
  /// Whether two accesses are of the same kind and width, from the same source location.
  bool same_site(const ThreadAccess& other) const {
    return packed_ >> address_bits == other.packed_ >> address_bits &&
           std::memcmp(&where_, &other.where_, sizeof where_) ==
               0;  // one object per place in a compiled kernel
  }

 private:
  static constexpr int address_bits = 48;  // of user space on today's 64-bit processors
  Where where_;
  std::uint64_t packed_;
};

/// Accesses and comparisons of one thread since its warp last converged.
struct ThreadLog {
  std::vector<ThreadAccess> accesses;
  u64 compares = 0, exchanges = 0, exchanged_words = 0;

  void clear() {
    accesses.clear();
    compares = exchanges = exchanged_words = 0;
  }
};

/// The ranges of global memory that kernels may access: disjoint, in ascending order.
struct Allocation {
  std::uint64_t begin;
  std::size_t bytes;
};
using Allocations = std::vector<Allocation>;

/// The words of global memory that were touched.
class Footprint {
 public:
  explicit Footprint(const Allocations& allocations) : allocations_(&allocations) {}
  /// Throws KernelFailure for an address outside all allocations.
  void touch(std::uint64_t address, std::size_t bytes);
  void merge(const Footprint& other);
  u64 bytes() const;
  /// Bytes touched here or in `other`, which has the same allocations.
  u64 bytes_with(const Footprint& other) const;
  /// Calls visit(begin, bits) for each allocation touched: where it begins, and a bit per word.
  template <class Visit>
  void for_each_allocation(Visit visit) const {
    for (std::size_t i = 0; i < touched_.size(); ++i)
      if (!touched_[i].empty()) visit((*allocations_)[i].begin, touched_[i]);
  }

 private:
  std::size_t allocation_of(std::uint64_t address);

  const Allocations* allocations_;
  std::vector<std::vector<std::uint64_t>> touched_;  ///< per allocation a bit per word; empty until touched
  std::size_t last_ = 0;  ///< allocation found last: nearly always the next one as well
};

/// What earlier launches touched, while allocations come and go.
class TouchedBefore {
 public:
  u64 fresh_bytes(const Footprint& footprint) const;  ///< those of the footprint that are not
  void add(const Footprint& footprint);
  void forget(std::uint64_t begin) { touched_.erase(begin); }  ///< the allocation that begins there
  void clear() { touched_.clear(); }

 private:
  std::map<std::uint64_t, std::vector<std::uint64_t>>
      touched_;  ///< by the allocation's begin, a bit per word
};

/// What a block finds in its share of the L1. The sector that has been there longest makes room. A real L1
/// has sets, but then what collides would depend on where the host allocates memory.
class L1Share {
 public:
  explicit L1Share(double bytes) : sectors_(u64(bytes / sector_bytes)) {}
  void clear() { loaded_.clear(), loads_ = 0; }  ///< for the next block
  /// Whether it has the sector, which it has from now on in any case.
  bool load(u64 sector);

 private:
  u64 sectors_, loads_ = 0;
  std::unordered_map<u64, u64> loaded_;  ///< sector → loads_ when it was
};

/// The sectors that a block has not written whole.
class SectorsInParts {
 public:
  void clear() { parts_.clear(); }  ///< for the next block
  /// `bytes` has a bit for each byte that an access writes. Whether another part was written before the
  /// `barriers`-th barrier of the block.
  bool write(u64 sector, u32 bytes, u64 barriers);

 private:
  struct Part {
    u32 bytes = 0;
    u64 barriers = 0;  ///< that the block had passed
  };
  std::unordered_map<u64, Part> parts_;
};

/// The accesses of one kind and width made at one source location.
struct SiteCounter {
  ThreadAccess site;  ///< its address is meaningless
  GlobalAccesses global{};
  SharedAccesses shared{};
  u64 warps = 0, visits = 0;
  std::vector<u64> warps_beyond{};  ///< as AccessSite's
  // What was counted last; numbers from 1.
  u64 last_visit = 0, last_block = 0;
  std::array<u32, warp_width> words_of_warp{};  ///< per lane, of each warp of last_block

  void count_words(int warp, std::size_t words);
};

/// Adds warps_beyond of other warps.
void add_up(const std::vector<u64>& more, std::vector<u64>& sum);

/// The warp instructions of one kind made at one source location.
struct InstructionCounter {
  Instruction instruction;
  Where where;
  u64 executions = 0, words = 0;
};

/// One access of a warp: its active lanes and their addresses, by ascending lane.
struct WarpAccess {
  ThreadAccess site;
  int active = 0;
  std::array<int, warp_width> lane{};
  std::array<std::uint64_t, warp_width> address{};

  bool is_global() const { return site.access() <= Access::global_atomic; }
  void add(int new_lane, std::uint64_t new_address) {
    lane[std::size_t(active)] = new_lane;
    address[std::size_t(active++)] = new_address;
  }
};

/// Counts what the warps of one worker do during one launch.
class WarpCounter {
 public:
  /// `l1_bytes` is what a block has of the L1.
  WarpCounter(const Allocations& allocations, double l1_bytes)
      : read_(allocations), written_(allocations), l1_(l1_bytes) {}

  /// Counts the logs of a warp's lanes, which have converged, and clears them.
  ///
  /// Lanes may have diverged. What a warp executes together is one instruction, so a warp access consists of
  /// the lanes' k-th accesses at the same source location. A lane that leaves a loop early, or skips a
  /// branch, then does not shift the later accesses of the others, as it would if accesses were matched by
  /// number alone. But the inner loop of two is counted as if lanes did not wait for each other in each round
  /// of the outer one, as they do on a GPU (docs/counting.md).
  ///
  /// `block` numbers the blocks that this counter sees, from 1.
  ///
  /// Calls `see(access)` for each warp access. Returns the comparisons and exchanges of the busiest lane.
  u64 converge(std::span<ThreadLog> lanes, u64 block, int warp,
               const std::function<void(const WarpAccess&)>& see);
  /// All warps of the block pass a barrier.
  void pass_barrier() { ++barriers_; }
  void end_block();
  /// `bytes` is what each lane passes on: 0 for barriers.
  void count(Instruction instruction, Where where, std::size_t bytes);

  void merge(const WarpCounter& other);
  /// Adds this launch to `kernel`.
  void add_to(KernelCounts& kernel) const;
  const Footprint& read() const { return read_; }
  const Footprint& written() const { return written_; }
  u64 steps() const;                                          ///< as KernelCounts'
  u64 steps_of_busiest_block() const { return most_steps_; }  ///< of those that have ended

 private:
  using See = std::function<void(const WarpAccess&)>;
  std::size_t count_in_step(std::span<ThreadLog> lanes, const See& see);
  void count_diverged(std::span<ThreadLog> lanes, std::size_t from, const See& see);
  void count(const WarpAccess& access);
  void count_global(const WarpAccess& access, GlobalAccesses& counts);
  void count_resumed(std::span<const std::uint64_t> addresses, std::size_t bytes, GlobalAccesses& counts);
  SiteCounter& counter_of(const ThreadAccess& site);
  InstructionCounter& counter_of(Instruction instruction, Where where);

  Footprint read_, written_;
  L1Share l1_;
  SectorsInParts in_parts_;
  std::vector<SiteCounter> sites_;
  std::vector<std::uint32_t> site_table_;  ///< hash table of indices into sites_, plus one; 0 = free
  std::array<u64, all_instructions.size()> instructions_{};
  u64 exchanged_words_ = 0;
  std::vector<InstructionCounter> instruction_sites_;
  u64 block_ = 0, visit_ = 0;  ///< the block of the warp that converges now; points of convergence so far
  u64 barriers_ = 0;           ///< of blocks, so far
  u64 steps_before_ = 0, most_steps_ = 0;  ///< of the blocks that have ended: their sum, their maximum
  int warp_ = 0;                           ///< its number in the block
  std::vector<WarpAccess> diverged_;       // reused to avoid allocations
};

}  // namespace fathom::counting
