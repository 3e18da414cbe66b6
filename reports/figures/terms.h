// SPDX-License-Identifier: Apache-2.0
// The predicted time split into parts: by resource or, under laws of formulas, by level.
#pragma once

#include <fathom/reports/figures.h>
#include <fathom/reports/figures/curves.h>

#include <string>
#include <vector>

namespace fathom::reports {

/// The parts as stacked bars over a parameter, each as if it alone took time, with the predicted time and the
/// measured times. What the bars exceed the predicted time by overlaps, and is faded. All predictions are of
/// one law. Small parts are shown together.
Figure terms_figure(const std::string& id, const std::string& title, const Axis& x,
                    const std::vector<PredictedPoint>& predicted, const std::vector<MeasuredPoint>& measured);
/// The same over n in shares of the predicted time: the times themselves span too many decades to be stacked.
/// The description names the bottlenecks if the predictions do.
Figure term_shares_figure(const std::string& id, const std::string& title,
                          const std::vector<PredictedPoint>& predicted);

std::vector<FigureOrMissing> terms_figures(const ReportInput& input);

}  // namespace fathom::reports
