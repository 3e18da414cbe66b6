// SPDX-License-Identifier: Apache-2.0
// Counted time units on the memory machines, and the asymptotic costs.
#pragma once

#include <fathom/reports/figures.h>

#include <string>
#include <vector>

namespace fathom::reports {

/// Counted time units of several algorithms over one variable of a memory machine, each with its asymptotic
/// cost times the constant that fits best. Over n, both are divided by n.
Figure machine_figure(const std::string& id, const std::string& title, const std::string& variable,
                      const std::vector<MachineSweep>& sweeps);

/// The algorithms of one kind together, one figure for each memory and variable.
std::vector<FigureOrMissing> machine_figures(const ReportInput& input);

}  // namespace fathom::reports
