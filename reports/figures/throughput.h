// SPDX-License-Identifier: Apache-2.0
// Throughput against n, for each algorithm alone and for all of a kind together.
#pragma once

#include <fathom/reports/figures/configurations.h>
#include <fathom/reports/figures/curves.h>

#include <string>
#include <vector>

namespace fathom::reports {

/// One algorithm against n, with fixed parameters, or with those that each n has by default.
struct ThroughputCurve {
  std::string label;
  struct Law {
    LawName name;
    std::vector<PredictedPoint> points;  ///< x = n, ascending
  };
  std::vector<Law> predicted;
  std::vector<MeasuredPoint> measured;  ///< x = n, ascending
  std::size_t without_work = 0;         ///< see Configuration
};

/// A line and its interval band per law, markers with quartile bars for measurements. With several curves,
/// only the first law of each is drawn. `baselines` are measured curves to compare a single curve with.
Figure throughput_figure(const std::string& id, const std::string& title,
                         const std::vector<ThroughputCurve>& curves,
                         const std::vector<ThroughputCurve>& baselines = {});

/// With the parameters that cover the most sizes, which are the defaults of each n where these depend on it;
/// among several, those that are fastest at the largest size.
ThroughputCurve throughput_curve(const Subject& subject, const std::vector<Configuration>& all);

std::vector<FigureOrMissing> throughput_figures(const ReportInput& input);
std::vector<FigureOrMissing> algorithm_figures(const ReportInput& input);
/// The id of the figure with all algorithms of a kind.
std::string algorithms_figure_id(const std::string& kind, const std::string& type);

}  // namespace fathom::reports
