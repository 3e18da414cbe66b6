// The report on a device as one self-contained HTML file: style and figures are inline.
#pragma once

#include <fathom/reports/figures.h>

#include <string>

namespace fathom::reports {

/// Summary, throughput and bottlenecks, errors, parity, sweeps, trade-offs of parameters, regret, saturation
/// curves with the fits, terms, counts. A figure without data is replaced by a line that says what is missing
/// and which command produces it. Calls `progress` before each figure. Throws as draw().
std::string html_report(const ReportInput& input, const Progress& progress = {});

}  // namespace fathom::reports
