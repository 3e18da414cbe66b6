// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fathom/calls/reporting/report_input.h>

namespace fathom::calls {

/// Draws the figures of a kind into `output`, .svg, .png or .pdf; of several, each one's id is added to the
/// file name. Returns the files. Throws std::invalid_argument for another format, std::runtime_error if there
/// is nothing to draw, and what algorithm_or_formula(), ReportInputs and reports::draw() throw.
std::vector<std::filesystem::path> plot(reports::FigureKind kind, PlotOptions options,
                                        const std::filesystem::path& output, const Listener& listener);

}  // namespace fathom::calls
