// SPDX-License-Identifier: Apache-2.0
// Algorithms over the degree of their input: time and bank conflicts.
#pragma once

#include <fathom/reports/figures.h>

#include <string>
#include <vector>

namespace fathom::reports {

/// Time of several algorithms on inputs of one pattern: measured as markers, predicted as lines by the first
/// of the drawn laws that predicts an algorithm. All are of the same type and n.
Figure degree_time_figure(const std::string& id, const std::string& title,
                          const std::vector<DegreeSweep>& sweeps);
/// β of their reads of shared memory, counted.
Figure degree_conflict_figure(const std::string& id, const std::string& title,
                              const std::vector<DegreeSweep>& sweeps);

/// Both, for each pattern and type.
std::vector<FigureOrMissing> degree_figures(const ReportInput& input);

}  // namespace fathom::reports
