// What plots and reports are drawn from, gathered from a profile and datasets.
#pragma once

#include <fathom/reports/figures.h>

#include <CLI/App.hpp>
#include <filesystem>
#include <string>
#include <vector>

namespace fathom::cli {

struct ReportOptions {
  std::vector<std::filesystem::path>
      datasets;  ///< may be empty: then only what is predicted and calibrated is drawn
  std::string device, law;
};

void add_report_options(CLI::App& command, ReportOptions& options);

/// The profile, the runs compared under the laws, and predictions of every algorithm with a formula over 2^10
/// … 2^28.
reports::ReportInput report_input(const ReportOptions& options);

/// Runs the kernels on the CPU, for the audit of all formulas and the time units on the memory machines: ten
/// seconds and more.
void add_counts(reports::ReportInput& input);

}  // namespace fathom::cli
