// SPDX-License-Identifier: Apache-2.0
// Time against one parameter.
#pragma once

#include <fathom/reports/figures/configurations.h>
#include <fathom/reports/figures/curves.h>

#include <map>
#include <string>
#include <vector>

namespace fathom::reports {

/// Time against one parameter, the others fixed.
struct SweepCurve {
  std::string label;                 ///< "t = 128"; may be empty for a single curve
  LawName law = drawn_laws.front();  ///< of `predicted`: the first of the drawn laws that predicts any point
  std::vector<PredictedPoint> predicted;
  std::vector<MeasuredPoint> measured;
  std::size_t without_work = 0;  ///< see Configuration
};
/// The best predicted and the best measured point are marked.
Figure sweep_figure(const std::string& id, const std::string& title, const Axis& parameter,
                    const std::vector<SweepCurve>& curves);

/// All configurations of one n, by the values of the parameters but one.
struct Sweep {
  double n;
  std::string parameter;
  std::map<NamedValues, std::vector<const Configuration*>>
      by_others;  ///< by the values of the other parameters
};
/// One per n and parameter with enough values for a figure there; of each n the parameter with the most
/// values first.
std::vector<Sweep> sweeps(const std::vector<Configuration>& all);
double fastest_s(const std::vector<const Configuration*>& curve);
SweepCurve sweep_curve(const std::string& parameter, const NamedValues& others,
                       const std::vector<const Configuration*>& configurations);
Axis sweep_axis(const Subject& subject, const Sweep& sweep);
std::string sweep_id(const Subject& subject, const Sweep& sweep);

std::vector<FigureOrMissing> sweep_figures(const ReportInput& input);

}  // namespace fathom::reports
