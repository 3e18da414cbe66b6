// SPDX-License-Identifier: Apache-2.0
// A launch of a kernel that somebody else wrote, as a profiler saw it. What the profiler did not collect is
// absent.
#pragma once

#include <fathom/model/work.h>

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace fathom {

/// What the mean warp of a launch spent its time on, in clocks. While it waits for a unit that others use,
/// these clocks contain the queue ahead of it.
struct WarpClocks {
  double issuing = 0;   ///< instructions, with the delays between one and the next that depends on it
  double global = 0;    ///< waiting for loads from global and local memory
  double shared = 0;    ///< for shared memory, shuffles and special functions
  double barriers = 0;  ///< for other warps of its block
  double other = 0;     ///< for constants, fences, code that was not in the cache, sleeping
  /// From 0 to 1: how near the busiest unit of the GPU was to what it can do.
  double utilization = 0;

  bool operator==(const WarpClocks&) const = default;
};

struct WarpClocksMember {
  std::string_view name;  ///< in files
  double WarpClocks::*value;
};
inline constexpr std::array all_warp_clocks{WarpClocksMember{"issuing", &WarpClocks::issuing},
                                            WarpClocksMember{"global", &WarpClocks::global},
                                            WarpClocksMember{"shared", &WarpClocks::shared},
                                            WarpClocksMember{"barriers", &WarpClocks::barriers},
                                            WarpClocksMember{"other", &WarpClocks::other},
                                            WarpClocksMember{"utilization", &WarpClocks::utilization}};

/// The demands of a block, in the order of all_demands.
using ReportedDemands = std::array<std::optional<double>, all_demands.size()>;

struct ReportedLaunch {
  std::string kernel;  ///< "MergeTiles", without its template's arguments
  double blocks = 1;
  int threads_per_block = 32;
  std::optional<double> registers{};                                    ///< per thread
  std::optional<double> static_shared_bytes{}, dynamic_shared_bytes{};  ///< per block
  std::optional<double> carveout_bytes{};      ///< of a multiprocessor's memory, set aside as shared
  std::optional<double> blocks_per_cluster{};  ///< 1 without clusters
  std::optional<double> launches_kernels{};    ///< 1 if its code can launch kernels itself, else 0
  std::optional<double> measured_s{};
  std::optional<double> clock_hz{};  ///< of the multiprocessors, while it was measured
  ReportedDemands demands{};
  /// Warp instructions of a block on pipes that the law has no rates of.
  std::optional<double> tensor{}, fp64{};
  std::optional<WarpClocks> warp{};

  std::optional<double> demand(double Work::*member) const;
  bool operator==(const ReportedLaunch&) const = default;
};

/// A number of a launch that a report may lack, besides its demands.
struct LaunchNumber {
  std::string_view name;  ///< in files
  std::optional<double> ReportedLaunch::*value;
};
inline constexpr std::array launch_numbers{
    LaunchNumber{"registers", &ReportedLaunch::registers},
    LaunchNumber{"static_shared_bytes", &ReportedLaunch::static_shared_bytes},
    LaunchNumber{"dynamic_shared_bytes", &ReportedLaunch::dynamic_shared_bytes},
    LaunchNumber{"carveout_bytes", &ReportedLaunch::carveout_bytes},
    LaunchNumber{"blocks_per_cluster", &ReportedLaunch::blocks_per_cluster},
    LaunchNumber{"launches_kernels", &ReportedLaunch::launches_kernels},
    LaunchNumber{"measured_s", &ReportedLaunch::measured_s},
    LaunchNumber{"clock_hz", &ReportedLaunch::clock_hz},
    LaunchNumber{"tensor", &ReportedLaunch::tensor},
    LaunchNumber{"fp64", &ReportedLaunch::fp64}};

}  // namespace fathom
