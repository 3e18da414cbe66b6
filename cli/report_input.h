// The input of plots and reports, from a profile and datasets.
#pragma once

#include <fathom/reports/figures.h>

#include <CLI/App.hpp>
#include <filesystem>
#include <string>
#include <vector>

namespace fathom::cli {

struct ReportOptions {
  std::vector<std::filesystem::path> datasets;  ///< if empty, only predictions and calibration are drawn
  std::string device, law;
};

void add_report_options(CLI::App& command, ReportOptions& options);

/// The profile, and the runs compared under the laws.
reports::ReportInput report_input(const ReportOptions& options);

enum class Predicted {
  every_algorithm,
  measured_ones  ///< every algorithm if there are no datasets
};
/// Predictions of u32 at default parameters over 2^10 … 2^28.
void add_predictions(reports::ReportInput& input, const ReportOptions& options, Predicted which,
                     const Progress& progress);

/// The trade-offs to show. Empty: see reports::trade_offs().
struct TradeOffOptions {
  std::vector<std::string> algorithms;
  std::string parameter;  ///< empty: the first of each algorithm
};
/// On the profile's GPU, and on those with published constants only.
void add_trade_offs(reports::ReportInput& input, const ReportOptions& options, const Progress& progress,
                    const TradeOffOptions& wanted = {});

/// Runs the kernels on the CPU, for the audit of all formulas and the time units on the memory machines:
/// takes ten seconds or more. An algorithm with a kernel that does not fit on the GPU is left out, with a
/// note in the report and on stderr.
void add_counts(reports::ReportInput& input, const Progress& progress);

}  // namespace fathom::cli
