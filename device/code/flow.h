// SPDX-License-Identifier: Apache-2.0
// The control flow of a kernel: its basic blocks, and where each goes next.
#pragma once

#include <fathom/device/code/disassembly.h>

#include <cstddef>
#include <vector>

namespace fathom {

/// Instructions of one type that a warp runs one after another. A block ends at each branch, also at BSSY,
/// which opens a region of divergence, and BSYNC, where its lanes wait for each other.
struct BasicBlock {
  enum class End {
    falls_through,
    branches,   ///< always
    decides,    ///< by a guard; lanes may go both ways if the block lies in a region of divergence
    opens,      ///< BSSY
    converges,  ///< BSYNC
    calls,      ///< a subroutine of the compiler's, for example a 64-bit division
    returns,    ///< from it
    exits       ///< perhaps only some lanes, if it is guarded
  };

  std::size_t first = 0, last = 0;  ///< instructions [first, last)
  End end = End::falls_through;
  bool guarded = false;              ///< the last instruction has a guard that can differ by lane
  bool uniform = false;              ///< all lanes decide alike
  bool reachable = false;            ///< from the entry, without slow paths that no full warp takes
  bool in_region = false;            ///< between a BSSY and its BSYNC
  std::vector<std::size_t> next;     ///< blocks that may follow within this routine
  std::vector<std::size_t> callees;  ///< first blocks of subroutines
  /// The blocks with the BSSY that a BSYNC may belong to, or with the BSYNCs of a BSSY.
  std::vector<std::size_t> partners;
  std::size_t meets_at = 0;     ///< of a BSSY: the block where its lanes go on together
  bool lanes_may_exit = false;  ///< of a BSSY: before they meet

  std::size_t size() const { return last - first; }
};

/// A set of blocks from each of which every other can be reached.
struct Loop {
  std::vector<std::size_t> blocks;  ///< ascending
  bool contains(std::size_t block) const;
};

struct FlowGraph {
  std::vector<BasicBlock> blocks;     ///< in the order of the code; the first is the entry
  std::vector<Loop> loops;            ///< each before those within it
  std::vector<std::size_t> block_of;  ///< of each instruction

  /// The last block that every way from the entry to one of these goes through; the first that every way from
  /// them to the end goes through. Absent if there is none.
  std::optional<std::size_t> dominator(const std::vector<std::size_t>& blocks) const;
  std::optional<std::size_t> postdominator(const std::vector<std::size_t>& blocks) const;
};

FlowGraph flow_graph(const Disassembly& code);

/// Each before those within it.
std::vector<Loop> loops_of(const std::vector<BasicBlock>& blocks);

}  // namespace fathom
