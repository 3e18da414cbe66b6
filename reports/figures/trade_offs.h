// SPDX-License-Identifier: Apache-2.0
// Bandwidth and resident threads over the values of one parameter.
#pragma once

#include <fathom/reports/figures.h>

#include <string>
#include <vector>

namespace fathom::reports {

/// Bandwidth over the parameter: for one GPU by every law, with measurements; for several, by the first law
/// of each. All are for the same algorithm and parameter.
Figure trade_off_bandwidth_figure(const std::string& id, const std::string& title,
                                  const std::vector<TradeOff>& gpus);
/// The multiplicity X in the same way, with the X·I that saturates global memory.
Figure trade_off_multiplicity_figure(const std::string& id, const std::string& title,
                                     const std::vector<TradeOff>& gpus);

/// For each algorithm: the profile's GPU with its measurements, then the other GPUs together.
std::vector<FigureOrMissing> trade_off_figures(const ReportInput& input);

}  // namespace fathom::reports
