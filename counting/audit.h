// SPDX-License-Identifier: Apache-2.0
// Compares the counted accesses of kernels with those that their published formula predicts.
#pragma once

#include <fathom/counting/count.h>

namespace fathom {

/// Accesses to one level by the whole algorithm, in 32-bit words: by the formula, whose phases do not
/// correspond to kernels, and as counted. A warp's access counts all its lanes, idle ones included, as
/// formulas do.
struct AuditEntry {
  Level level;                             ///< global or shared
  std::optional<double> formula, counted;  ///< absent if only the other has such accesses

  std::optional<double> ratio() const;  ///< counted / formula; absent if either is absent
};

/// Empty for an algorithm without a formula.
std::vector<AuditEntry> audit(const Algorithm& algorithm, const Problem& problem,
                              const Machine<double>& machine, const std::vector<KernelCounts>& kernels);

}  // namespace fathom
