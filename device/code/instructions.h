// SPDX-License-Identifier: Apache-2.0
// The instructions that a kernel executes, by pipe, and the chain of a warp: from its machine code and the
// counts of the counting executor. No GPU is needed.
#pragma once

#include <fathom/device/code/chain.h>
#include <fathom/device/code/pipes.h>

#include <limits>
#include <map>
#include <span>
#include <string>

namespace fathom {

/// Sums over the launches that were counted, in warp instructions.
struct KernelInstructions {
  std::string kernel;  ///< "BlockSort"
  int compute_capability = 0;
  u64 launches = 0, blocks = 0;
  double warps = 0;

  double issued = 0;
  std::array<double, all_pipes.size()> by_pipe{};
  std::map<std::string, double> by_opcode;  ///< without modifiers
  std::map<std::string, double> unknown;    ///< opcodes whose pipe is not known: issued, and on no pipe
  /// If every choice that the counts leave open took the most instructions. Not a number if that is not
  /// known.
  double most_issued = std::numeric_limits<double>::quiet_NaN();
  double code_bytes = 0;  ///< of the instructions that run at all
  /// Passes through the banks of shared memory by the machine code's accesses, which may be wider than the
  /// source's and run with no lane active.
  double shared_wavefronts = 0;

  WarpChain chain;

  // How far the counts determine this.
  std::vector<Anchor> anchors, without_code;
  std::vector<LooseLoop> loose_loops;
  bool converged = true;

  double on(Pipe pipe) const { return by_pipe[std::size_t(pipe)]; }
  /// The anchor with the greatest mismatch; absent if there is no anchor.
  const Anchor* worst_anchor() const;
};

/// Without what only counts say: of so many blocks of so many threads, with these frequencies.
KernelInstructions executed_instructions(const Disassembly& code, const FlowGraph& flow,
                                         const Frequencies& frequencies, u64 blocks, int threads_per_block);

/// `cubin` is the kernel that was counted, compiled for a GPU with line information. Throws what
/// disassemble() throws, and std::invalid_argument if the kernel has no line information.
KernelInstructions count_instructions(std::span<const char> cubin, const KernelCounts& counts);
/// The same of a kernel that was disassembled.
KernelInstructions count_instructions(const Disassembly& code, const KernelCounts& counts);
/// The same, but for most_issued, where the flow and block_frequencies(), which takes long, are known.
KernelInstructions count_instructions(const Disassembly& code, const FlowGraph& flow, Frequencies frequencies,
                                      const KernelCounts& counts);

}  // namespace fathom
