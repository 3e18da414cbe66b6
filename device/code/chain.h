// SPDX-License-Identifier: Apache-2.0
// The waits of one warp of a kernel.
#pragma once

#include <fathom/device/code/frequencies/frequencies.h>

#include <array>
#include <string_view>

namespace fathom {

/// What a warp waits for, shortest first: that a store has read its registers; special functions, conversions
/// and reads of constants and special registers; shared memory, shuffles, local memory; global memory.
enum class WaitKind { operands, special, shared, global };
inline constexpr std::array all_wait_kinds{WaitKind::operands, WaitKind::special, WaitKind::shared,
                                           WaitKind::global};
std::string_view name(WaitKind kind);  ///< "operands", …
/// What those wait for who need the results of an instruction of variable latency.
WaitKind kind_of(const MachineInstruction& one);

inline constexpr int scoreboards = 6;  ///< of a warp
/// A bit for each scoreboard that it waits for, also those that its operands name (DEPBAR.LE SB0, 0x1).
unsigned waits_for(const MachineInstruction& one);

/// Instructions in flight together are one batch: who waits for one that was issued
/// before has waited for all of them that take no longer.
struct Waits {
  double batches = 0;  ///< for which the warp waits
  double covered = 0;  ///< clocks that it issues between a batch and the wait for it, in the mean; 0 if none
};

struct WarpChain {
  /// Clocks of a warp that has the multiprocessor to itself and never waits for a batch: fixed latencies as
  /// the compiler scheduled them, and pipes that take several clocks per warp.
  double issue_clocks = 0;
  double barriers = 0;
  std::array<Waits, all_wait_kinds.size()> waits{};

  const Waits& of(WaitKind kind) const { return waits[std::size_t(kind)]; }
  /// Issue, and for each batch the part of its latency that is not covered; barriers cost nothing.
  double clocks(const std::array<double, all_wait_kinds.size()>& latencies) const;
};

/// The chain of the slowest warp of the slowest block, as far as frequencies determine it: code that only
/// some warps run, of at least one block in 32, counts as if one warp ran it all. `warps` and `blocks` are
/// how many the frequencies are the sum of.
WarpChain warp_chain(const Disassembly& code, const FlowGraph& flow, const Frequencies& frequencies,
                     double warps, double blocks);

}  // namespace fathom
