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

/// The profile, and the runs compared under the laws.
reports::ReportInput report_input(const ReportOptions& options);

enum class Predicted {
  every_algorithm,
  measured_ones  ///< where there are datasets; every algorithm where there are none
};
/// Predictions of u32 at default parameters over 2^10 … 2^28.
void add_predictions(reports::ReportInput& input, const ReportOptions& options, Predicted which);

/// What to show trade-offs of. Empty: see reports::trade_offs().
struct TradeOffOptions {
  std::vector<std::string> algorithms;
  std::string parameter;  ///< empty: the first of each algorithm
};
/// On the profile's GPU, and on those of which only published constants are known.
void add_trade_offs(reports::ReportInput& input, const ReportOptions& options,
                    const TradeOffOptions& wanted = {});

/// Runs the kernels on the CPU, for the audit of all formulas and the time units on the memory machines:
/// takes ten seconds and more.
void add_counts(reports::ReportInput& input);

}  // namespace fathom::cli
