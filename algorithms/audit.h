// What kernels were counted to do beside what their formula says.
#pragma once

#include <fathom/algorithms/count.h>

namespace fathom {

/// Accesses to one level by one phase, in 32-bit words: what the formula says and what was counted. A warp's
/// access counts all its lanes: idle ones take their turn, too, and formulas count them.
struct AuditEntry {
  LawName law;
  std::string
      phase;    ///< of `published` all phases together, "all": it parts them otherwise than the kernels do
  Level level;  ///< global or shared
  std::optional<double> formula, counted;  ///< absent where only the other one has such a phase

  std::optional<double> ratio() const;  ///< counted over formula; absent where either is absent or 0
};

/// Both laws' counts beside those of the kernels, in the order of phases. Empty for an algorithm without
/// formula.
std::vector<AuditEntry> audit(const Algorithm& algorithm, const Problem& problem,
                              const Machine<double>& machine, const std::vector<KernelCounts>& kernels);

}  // namespace fathom
