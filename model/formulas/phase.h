// SPDX-License-Identifier: Apache-2.0
// A formula maps a problem to phases: the words that a part of an algorithm accesses on each level.
#pragma once

#include <fathom/model/machine.h>

#include <array>
#include <string_view>
#include <vector>

namespace fathom {

/// Those that formulas count accesses to; none counts the L2 apart.
inline constexpr std::array formula_levels{Level::global, Level::shared, Level::registers};

/// Accesses to one level, summed over all launches of the phase.
struct Access {
  Level level;  ///< one of formula_levels
  /// A, in 32-bit words, before serialisation by conflicts; of registers, what the source counts:
  /// thread-instructions in merrill2010.
  double count = 0;
  /// β, mean serialisation of a shared access by bank conflicts; of a global one, what incoherent addresses
  /// multiply its traffic by. 1 = none.
  double conflict = 1;
  /// I > 0, mean number of consecutive independent accesses of one thread.
  double parallelism = 1;
  bool ceiling = false;    ///< whether the source prints ⌈L/(X·I)⌉ for this term
  bool saturated = false;  ///< the source takes the latency to be hidden: only the bandwidth counts
};

struct Phase {
  std::string_view name;
  double launches = 1;      ///< kernel launches in this phase
  double multiplicity = 0;  ///< X > 0, threads per core
  double share = 1;         ///< of the machine's cores that take part: those of one multiprocessor, or all
  bool overlap = false;     ///< takes as long as its longest level alone (merrill2010), not their composition
  std::vector<Access> accesses{};
};

using Phases = std::vector<Phase>;

}  // namespace fathom
