// SPDX-License-Identifier: Apache-2.0
// Runs of kernels whose work nobody counted: what is assumed of their launches stands in for a plan and its
// work table.
#pragma once

#include <fathom/model/laws/law.h>
#include <fathom/model/reported_launch.h>

#include <vector>

namespace fathom {

struct AssumedRun {
  std::vector<ReportedLaunch> launches;  ///< in their order; the law can price each (why_not_priced())
  Assumptions assumptions{};
};

/// The runs of an algorithm for one choice of everything but n.
class AssumedRuns {
 public:
  virtual ~AssumedRuns() = default;
  /// May be called from several threads at a time. Throws std::invalid_argument for an n that cannot be
  /// launched, and for launches that the law cannot price.
  virtual AssumedRun at(double n) const = 0;
};

}  // namespace fathom
