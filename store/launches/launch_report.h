// SPDX-License-Identifier: Apache-2.0
// Launches of kernels that somebody else wrote, imported from a profiler's report, as a file.
#pragma once

#include <fathom/model/reported_launch.h>
#include <fathom/store/profile.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace fathom {

struct LaunchReport {
  static constexpr int version = 1;

  Provenance provenance;  ///< of the file: `gpu` is the GPU that was profiled
  // Of the GPU that was profiled.
  std::optional<int> architecture;  ///< compute capability: 90 for sm_90
  std::optional<double> multiprocessors;
  std::optional<double> l2_bytes;
  std::vector<ReportedLaunch> launches;  ///< in the order of the report; never empty
};

/// What names of files with launches end in; commands tell them by it.
inline constexpr std::string_view launch_report_extension = ".work";
bool is_launch_report(const std::string& name);

/// Whether all numbers are those that files may hold: from 0 to 1e15 bytes, instructions, clocks, …
bool is_in_range(const LaunchReport& report);

/// Throws std::invalid_argument for numbers that are not finite.
std::string to_json(const LaunchReport& report);
/// Throws FormatError, naming the field, for text that is not such a file, and for numbers out of range.
LaunchReport parse_launch_report(const std::string& text, const std::string& where);
LaunchReport read_launch_report(const std::filesystem::path& file);  ///< throws also what read_whole() throws

}  // namespace fathom
