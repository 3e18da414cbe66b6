// SPDX-License-Identifier: Apache-2.0
// How often each basic block of a kernel runs: from counts at source lines and the conservation of flow.
#pragma once

#include <fathom/device/code/flow.h>
#include <fathom/device/counting/counts.h>

namespace fathom {

/// What was counted at a source line, and what the frequencies make of it.
struct Anchor {
  SourceLine line;
  std::string what;    ///< "shared load", "shuffle", …
  double counted = 0;  ///< 32-bit words per lane for loads, stores and shuffles, else warp instructions
  double solved = 0;
  double words = 1;  ///< per warp instruction, in the mean
  /// Warp instructions that the frequencies have too many, or too few if negative.
  double mismatch() const { return (solved - counted) / words; }
};

/// A loop in which nothing was counted: it is taken to run once.
struct LooseLoop {
  std::uint32_t address = 0;  ///< of its first instruction
  SourceLine line;            ///< of that
};

/// Executions by warps, summed over the launches that were counted.
struct Frequencies {
  std::vector<double> blocks;              ///< of each block of the graph
  std::vector<std::vector<double>> edges;  ///< of each of BasicBlock::next
  std::vector<Anchor> anchors;
  std::vector<Anchor> without_code;  ///< counted where the code has no such instruction
  std::vector<LooseLoop> loose_loops;
  bool converged = true;
};

/// Warps run what they run together: a block in which only some lanes are active counts once.
///
/// The frequencies fulfil: the entry runs once per warp; what enters a block leaves it; lanes of a warp that
/// part in a region of divergence may go both ways, and go on together behind it; a line's instructions run,
/// all together, as often as it was counted (a guarded one at most as often as its block); every loop and
/// branch around a line is entered by at least the warps that came to the line; all selections of
/// compare-exchanges run together as often as these were counted. Where counts contradict each other, most
/// are met exactly. Where they leave a choice, the fewest instructions are taken: an unrolled loop runs
/// rather than its remainder, a slow path not at all.
///
/// A block with several copies of an access runs only where a warp has so many left. What the machine code
/// says whatever the data (conditions.h) holds, too: how often loops turn, where only few warps go, and where
/// a launch sends all its warps.
Frequencies block_frequencies(const Disassembly& code, const FlowGraph& flow, const KernelCounts& counts);
/// Instructions executed if every choice that the counts leave open is made to run as many as possible. Not a
/// number if nothing bounds them. Takes several times as long as block_frequencies().
double most_instructions(const Disassembly& code, const FlowGraph& flow, const KernelCounts& counts);

}  // namespace fathom
