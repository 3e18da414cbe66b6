// SPDX-License-Identifier: Apache-2.0
// Reports as self-contained HTML files: style, script and figures are inline.
#pragma once

#include <fathom/reports/figures.h>
#include <fathom/reports/side_by_side.h>

#include <string>

namespace fathom::reports {

/// The report on a device: what was predicted of each algorithm beside what was measured, and three figures,
/// then a section for each algorithm, the algorithms side by side, the machine, tables, provenance and notes,
/// all closed. Without datasets: predictions, the machine, and what to do next. What has no data is replaced
/// by a line that says what is missing and which command produces it. Without gnuplot the figures are left
/// out, which the page says. Calls `progress` before each figure. Throws as draw(), but for a missing
/// gnuplot.
std::string html_report(const ReportInput& input, const Progress& progress = {});

/// Two datasets, as before and after a change: the change of each algorithm, figures of the ratios over n,
/// then every configuration. The rest as html_report().
std::string html_comparison(const DatasetChange& change, const Progress& progress = {});
/// Two GPUs: predicted times with their ratios, then the constants side by side.
std::string html_comparison(const ProfilePair& pair, const Progress& progress = {});

}  // namespace fathom::reports
