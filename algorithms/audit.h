// Compares the counted accesses of kernels with those that their formula predicts.
#pragma once

#include <fathom/algorithms/count.h>

namespace fathom {

/// Accesses to one level by one phase, in 32-bit words: by the formula and as counted. A warp's access counts
/// all its lanes, idle ones included, as formulas do.
struct AuditEntry {
  LawName law;
  std::string phase;  ///< "all" for `published`, whose phases do not correspond to kernels
  Level level;        ///< global or shared
  std::optional<double> formula, counted;  ///< absent if only the other has such a phase

  std::optional<double> ratio() const;  ///< counted / formula; absent if either is absent or 0
};

/// The counts of both laws and of the kernels, in the order of phases. Empty for an algorithm without a
/// formula.
std::vector<AuditEntry> audit(const Algorithm& algorithm, const Problem& problem,
                              const Machine<double>& machine, const std::vector<KernelCounts>& kernels);

}  // namespace fathom
