// The whole story of a device in one HTML file that needs nothing else: style and figures are inside.
#pragma once

#include <fathom/reports/figures.h>

#include <string>

namespace fathom::reports {

/// Summary, throughput with what limits each algorithm, errors, parity, sweeps, trade-offs of parameters,
/// regrets, saturation curves with the fits, terms, counts. A figure without data is replaced by a line that
/// says what is missing and which command gets it. Throws as draw().
std::string html_report(const ReportInput& input);

}  // namespace fathom::reports
