// SPDX-License-Identifier: Apache-2.0
// Predicted over measured time.
#pragma once

#include <fathom/reports/figures.h>

#include <string>
#include <vector>

namespace fathom::reports {

/// Over n, both axes logarithmic, with a band at ±5 %; under the law `fitted`, runs that a fit may use are
/// hollow.
Figure parity_figure(const std::string& id, const std::string& title, LawName law,
                     const std::vector<ComparedRun>& runs);

std::vector<FigureOrMissing> parity_figures(const ReportInput& input);

}  // namespace fathom::reports
