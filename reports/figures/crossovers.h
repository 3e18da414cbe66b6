// SPDX-License-Identifier: Apache-2.0
// Which algorithm is the fastest over n, and how close the others are.
#pragma once

#include <fathom/reports/figures.h>

#include <vector>

namespace fathom::reports {

/// Speed against n, of the fastest at each n 100 %: of the algorithms that are the fastest somewhere, or
/// within 10 % of it. Above, strips name the fastest, as predicted and, if any was, as measured.
Figure crossover_figure(const Crossover& of);

/// One per type. Missing for those with fewer than two algorithms predicted.
std::vector<FigureOrMissing> crossover_figures(const ReportInput& input);

}  // namespace fathom::reports
