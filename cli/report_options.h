// The options of plots and reports.
#pragma once

#include <fathom/calls/reporting/report_input.h>

#include <CLI/App.hpp>
#include <string>

namespace fathom::cli {

struct ReportArguments {
  std::vector<std::filesystem::path> datasets;
  std::string device, law;
};

void add_report_options(CLI::App& command, ReportArguments& arguments);
/// Throws UsageError for an unknown law.
calls::ReportOptions report_options(const ReportArguments& arguments);

}  // namespace fathom::cli
