// SPDX-License-Identifier: Apache-2.0
// The tables that NVIDIA Nsight Compute prints: launches with their metrics, by NVIDIA's names.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fathom {

/// A launch as the profiler's table has it.
struct ProfiledLaunch {
  std::string kernel;  ///< as the profiler names it: "void Merge<int>(const int *)"
  /// In bytes, seconds, hertz, and per cent; of a metric with instances also those that are numbers, as
  /// "sass__inst_executed_per_opcode[BAR]". What the profiler could not measure is not there.
  std::map<std::string, double, std::less<>> metrics;
  std::map<std::string, std::string, std::less<>> texts;  ///< other columns and metrics: "CC"

  std::optional<double> metric(std::string_view name) const;
};

/// The launches of a table in CSV, in both of its forms: a row per launch, below one with units (`ncu --csv
/// --page raw`), or a row per metric (`ncu --csv --metrics …`). What a profiled program printed ahead of it
/// is skipped. Throws FormatError, naming line and column, for other text, and for a table without launches.
std::vector<ProfiledLaunch> parse_profiler_csv(std::string_view text, const std::string& where);

/// What one of `unit` is in bytes, seconds or hertz; 1 for units of counts: 1e-9 for "nsecond", 1000 for
/// "Kbyte/block", 1e9 for "cycle/nsecond".
double unit_factor(std::string_view unit);

}  // namespace fathom
