// SPDX-License-Identifier: Apache-2.0
// Algorithms side by side over what has no numbers: patterns of the input, and types of elements.
#pragma once

#include <fathom/reports/figures.h>

#include <vector>

namespace fathom::reports {

/// Throughput on each pattern of the input, for each kind of algorithms and each type: filled markers are
/// measured, hollow ones predicted. At the n with the most runs; of an algorithm those parameters that were
/// measured on the most patterns, and among them the fastest. Patterns that have a degree have figures over
/// it (degrees.h).
std::vector<FigureOrMissing> input_figures(const ReportInput& input);

/// The same for each type of elements, on random input, with the fastest parameters that were measured of
/// each.
std::vector<FigureOrMissing> type_figures(const ReportInput& input);

}  // namespace fathom::reports
