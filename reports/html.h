// Reports as self-contained HTML files: style, script and figures are inline.
#pragma once

#include <fathom/reports/figures.h>

#include <string>

namespace fathom::reports {

/// The report on a device: the verdict on each algorithm and three figures, then a section for each algorithm,
/// the algorithms side by side, the machine, tables, provenance and notes, all closed. What has no data is
/// replaced by a line that says what is missing and which command produces it. Without gnuplot the figures
/// are left out, which the page says. Calls `progress` before each figure. Throws as draw(), but for a missing
/// gnuplot.
std::string html_report(const ReportInput& input, const Progress& progress = {});

}  // namespace fathom::reports
