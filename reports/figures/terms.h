// The predicted time split into its terms.
#pragma once

#include <fathom/reports/figures.h>
#include <fathom/reports/figures/layers.h>

#include <string>
#include <vector>

namespace fathom::reports {

/// The terms as stacked bars over a parameter, with the predicted time (their sum only if nothing overlaps)
/// and the measured times.
Figure terms_figure(const std::string& id, const std::string& title, const Axis& x,
                    const std::vector<PredictedPoint>& predicted, const std::vector<MeasuredPoint>& measured);
/// The terms as shares of their sum over n: the times themselves span too many decades to be stacked.
Figure term_shares_figure(const std::string& id, const std::string& title,
                          const std::vector<PredictedPoint>& predicted);

std::vector<FigureOrMissing> terms_figures(const ReportInput& input);

}  // namespace fathom::reports
