// SPDX-License-Identifier: Apache-2.0
// How often each basic block of a kernel runs where nothing was counted: what the machine code and the
// launch's shape say, and rules for the rest (docs/machine-code.md).
#pragma once

#include <fathom/device/code/frequencies/frequencies.h>

#include <array>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace fathom {

/// The shape of a launch: x, y, z, each at least 1.
struct LaunchGrid {
  std::array<int, 3> grid{1, 1, 1}, block{1, 1, 1};

  double blocks() const { return double(grid[0]) * grid[1] * grid[2]; }
  int threads() const { return block[0] * block[1] * block[2]; }
  int warps() const { return (threads() + 31) / 32; }  ///< of a block
};

/// How often a loop of the source turns each time that it is entered.
struct GivenTurns {
  std::string file;  ///< empty: of any file
  int line = 0;      ///< 0: the loop is named by its address
  std::uint32_t address = 0;
  double turns = 1;  ///< not negative
};

/// A loop of the source. The compiler may have made several of it: an unrolled one, and one for what that
/// leaves over.
struct AssumedLoop {
  enum class From { code, given, assumed };

  /// Code that does some of its turns: a loop of the machine code, or straight code that runs at most once.
  struct Version {
    std::uint32_t address = 0;  ///< of the first instruction
    double copies = 1;          ///< turns of the source's loop that one run of this does
  };

  std::uint32_t address = 0;  ///< of the first instruction
  std::optional<SourceLine> line;
  double turns = 1;  ///< of the source's loop each time that a warp comes to it
  From from = From::assumed;
  std::vector<Version> versions;  ///< the most unrolled one first
  std::set<SourceLine> inside;    ///< lines of its code, but for loops within it
  /// Other loops of the machine code, within the same loop, have its line. They are taken for loops of the
  /// source's own, each with all the turns of the line.
  bool has_likes = false;
};

std::string_view name(AssumedLoop::From from);  ///< "code", "given", "assumed"

/// Places in `loops` of those at the line or the address. Where no loop has the line, those around it:
/// the compiler may have given a loop the line of its body.
std::vector<std::size_t> loops_meant(std::span<const AssumedLoop> loops, const GivenTurns& given);

struct AssumedFrequencies {
  Frequencies frequencies;         ///< of all warps of the launch
  std::vector<AssumedLoop> loops;  ///< that run, or of which turns were given
  std::size_t halved = 0;          ///< branches of which each way is taken to run half the time
};

/// Throws std::invalid_argument for turns of a line or an address without a loop, which names the loops that
/// there are, for a line that two files have, and for code that calls itself.
AssumedFrequencies assumed_frequencies(const Disassembly& code, const FlowGraph& flow,
                                       const LaunchGrid& launch, std::span<const GivenTurns> given = {});

}  // namespace fathom
