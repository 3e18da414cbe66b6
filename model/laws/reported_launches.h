// SPDX-License-Identifier: Apache-2.0
// The law `counted` for launches from a profiler's report: the work of their blocks, from what the report
// has.
#pragma once

#include <fathom/model/laws/counted.h>
#include <fathom/model/reported_launch.h>

#include <optional>
#include <string>

namespace fathom {

/// What the caches hold when a launch starts.
enum class Caches {
  cold,  ///< nothing: the profiler empties them ahead of each launch unless it is told otherwise
  warm   ///< as after the launch before it in the report, on the same data
};
std::string_view name(Caches caches);        ///< "cold"
Caches parse_caches(std::string_view text);  ///< throws std::invalid_argument naming the choices

/// Why the law cannot price the launch, "uses the tensor cores, …"; empty if it can.
std::string why_not_priced(const ReportedLaunch& launch);

/// The work of a block. Demands that the report lacks are 0. Waits are the clocks of the mean warp over the
/// latencies of `measured_on`, the GPU of the report, without the queues: of an open queue at utilization ρ,
/// 1−ρ is service. Without WarpClocks, and without demands that say it, a warp issues an instruction per
/// clock and waits for memory once: the least that it can take. Throws MissingConstant if `measured_on` lacks
/// a latency that is needed.
Work work_of(const ReportedLaunch& launch, const Machine<double>& measured_on);

/// Whether a block reads more than its registers and its shared memory hold, so that it has to read, work and
/// read again, as the blocks of a fixed grid do.
bool reads_again(const ReportedLaunch& launch);

/// A launch that why_not_priced() has nothing against, which must outlive the result. Throws BlockTooLarge,
/// and what work_of() throws.
CountedLaunch counted_launch(const ReportedLaunch& launch, const Machine<double>& machine,
                             const Machine<double>& measured_on);

/// Sets LaunchShape::reach_bytes of all, in order.
void set_reach(std::vector<CountedLaunch>& launches, Caches caches);

}  // namespace fathom
