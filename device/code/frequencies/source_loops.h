// SPDX-License-Identifier: Apache-2.0
// Which loops of the machine code are one loop of the source: the compiler unrolls a loop, and makes others
// and straight code of it for what that leaves over.
#pragma once

#include <fathom/device/code/frequencies/conditions.h>

#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

namespace fathom {

/// A loop of the machine code, at its place in FlowGraph::loops.
struct MachineLoop {
  std::size_t parent = 0;         ///< the smallest loop around it; their number if there is none
  std::set<std::size_t> headers;  ///< blocks where it is entered
  std::size_t branch = 0;         ///< the block whose branch counts the turns
  std::optional<Turns> known;
};

/// Code that does some of the turns of a loop of the source.
struct LoopVersion {
  std::size_t first = 0;            ///< block
  std::optional<std::size_t> loop;  ///< of the machine code; absent: straight code, which runs at most once
  double copies = 1;                ///< turns of the source's loop that one run of it does, at least 1
  double least = 1;                 ///< as many, or fewer where guards leave out some of straight code
  double most = std::numeric_limits<double>::infinity();  ///< turns of this version
};

/// A branch ahead of versions, by which a warp comes to those that have turns to do.
struct LoopGuard {
  std::size_t block = 0;
  /// For each way, the versions that no other way leads to.
  std::vector<std::vector<std::size_t>> versions;
  /// Ways of guards, by their places in SourceLoop::guards, by which alone a warp comes here.
  std::vector<std::pair<std::size_t, std::size_t>> behind;
};

/// A loop of the source.
struct SourceLoop {
  std::vector<LoopVersion> versions;  ///< in the order in which they take turns: the most unrolled one first
  std::vector<LoopGuard> guards;      ///< each before those behind it
  /// Other loops of the machine code have the same line and the same loop around them, but seem to be
  /// another loop of the source's.
  bool has_likes = false;
};

/// In the order of the code. `loops` are those of the graph.
std::vector<SourceLoop> source_loops(const Disassembly& code, const FlowGraph& flow,
                                     std::span<const MachineLoop> loops);

/// How the turns of a loop of the source are dealt out to its versions.
struct DealtTurns {
  struct Version {
    double entered = 0;    ///< by this share of the warps that come to the loop
    double turns = 1;      ///< each time that it is entered, at least 1 unless it does parts of a turn
    bool guarded = false;  ///< the guards keep the other warps from it
  };
  std::vector<Version> versions;             ///< of SourceLoop::versions
  std::map<std::size_t, double> first_ways;  ///< blocks of guards: the share of warps that goes the first way
};

/// `turns` is a mean over warps, each of which has the whole number below it or above. Not negative.
DealtTurns deal(const SourceLoop& loop, double turns);

}  // namespace fathom
