// SPDX-License-Identifier: Apache-2.0
// All algorithms in one figure: how fast beside the baselines, and what limits each.
#pragma once

#include <fathom/reports/figures.h>

#include <vector>

namespace fathom::reports {

/// Time of the baseline over the algorithm's, against n: of each baseline the two algorithms that are fastest
/// beside it, on the type of their headline (verdict.h), each with the parameters measured at most sizes.
std::vector<FigureOrMissing> speed_figures(const ReportInput& input);

/// The predicted time of each headline's problem (problems_to_explain()), split into its parts.
std::vector<FigureOrMissing> limits_figures(const ReportInput& input);

}  // namespace fathom::reports
