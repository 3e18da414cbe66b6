// SPDX-License-Identifier: Apache-2.0
// Counts at lines of a kernel's source, and the instructions of its machine code that belong to them.
#pragma once

#include <fathom/device/code/flow.h>
#include <fathom/device/counting/counts.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace fathom::lines {

enum class What {
  global_load,
  global_store,
  global_atomic,
  shared_load,
  shared_store,
  shared_atomic,
  shuffle,
  ballot,
  match,
  reduce,
  barrier,
  selection,
  engine_copy
};

std::string_view name(What what);  ///< "global load"
bool is_access(What what);         ///< to memory
/// True if it is counted in words, because the compiler may split and combine such instructions.
bool by_words(What what);

struct Key {
  What what;
  SourceLine line;
  auto operator<=>(const Key&) const = default;
};

struct Counted {
  double executions = 0, words = 0;
  double warps = 0, visits = 0;
  std::vector<u64> warps_beyond{};  ///< AccessSite's, of a line with one site
  double launches = 0;              ///< AccessSite's

  /// How often warps can have moved so many words at a time: a warp's words are whole times and a rest.
  double most_times(std::size_t at_a_time) const;
  /// The most words that these times can leave over.
  double most_left(std::size_t at_a_time) const;

  Counted& operator+=(const Counted& other) {
    warps_beyond = executions > 0 ? std::vector<u64>{} : other.warps_beyond;
    executions += other.executions;
    words += other.words;
    warps = std::max(warps, other.warps);
    visits = std::max(visits, other.visits);
    launches = std::max(launches, other.launches);
    return *this;
  }
};
using Counts = std::map<Key, Counted>;

What what_of(const AccessSite& site);
/// Compare-exchanges are counted all together, since the compiler gives them one line.
Counts counts_by_line(const KernelCounts& kernel);

/// The line of the kernel that called the contract.
std::optional<SourceLine> site_of(const MachineInstruction& one);

/// An instruction of a line, and the words that it moves per lane.
struct Place {
  std::size_t instruction, block;
  bool guarded;
  double words;
  bool inherits_lines = false;  ///< as MachineInstruction's
};
using Places = std::map<Key, std::vector<Place>>;

/// Those of reachable blocks. If one counted line has no instruction of its kind, those that inherit a line
/// at which nothing was counted are its own: a way that the compiler has split off, as for full tiles.
Places places_by_line(const Disassembly& code, const FlowGraph& flow, const Counts& counts);

/// Lines of shuffles, ballots, matches or reductions, pair by pair, that the compiler has mixed up. Where it
/// copies code, as when it unrolls a loop, a copy's calls of one function of the contract may all have the
/// line of the last of them. Such a copy has the same instructions of the kind in the same order, and others
/// of the line that is lost.
std::vector<std::pair<Key, Key>> mixed_up_lines(const Disassembly& code, const FlowGraph& flow,
                                                const Places& places);

/// Lines whose counts say something about the instructions of one.
struct Match {
  std::vector<Key> counted;
  bool exact = false;  ///< the same line
};

/// By the lines of the machine code. What is counted but has no code of its own is added to `without_code`,
/// and matches a line nearby if there is one.
std::map<Key, Match> matches_of(const Counts& counts, const Places& places, std::vector<Key>& without_code);

}  // namespace fathom::lines
