// SPDX-License-Identifier: Apache-2.0
// The part that fuzzers of comparisons share.
#pragma once

#include <fathom/calibration/compare.h>

#include <cmath>

#include "fuzz.h"

namespace fathom::fuzz {

/// Expects times to be finite and positive, and errors and regrets to be finite.
inline void check(const Comparison& comparison) {
  for (const ComparedRun& run : comparison.runs) {
    expect_positive(run.measured_s, "a measured time");
    if (run.predicted) expect_positive(run.predicted->time_s, "a predicted time");
    if (run.relative_error) expect(std::isfinite(*run.relative_error), "a relative error is finite");
  }
  for (const ErrorSummary& summary : comparison.summaries)
    if (summary.worst) expect(std::isfinite(*summary.worst), "the worst error is finite");
  for (const Regret& regret : comparison.regrets) expect(std::isfinite(regret.regret), "a regret is finite");
}

}  // namespace fathom::fuzz
