// SPDX-License-Identifier: Apache-2.0
// Predictions of launches that a profiler's report has.
#pragma once

#include <fathom/calls/listener.h>
#include <fathom/calls/options.h>
#include <fathom/reports/launches.h>
#include <fathom/store/profile.h>

#include <string>

namespace fathom::calls {

/// The time of the launches in `file` on the profile's GPU, one after another. Throws std::runtime_error if
/// none can be predicted, saying why; and what read_launch_report(), apply_what_if(), find_profile(),
/// parse_caches() and the law throw.
reports::LaunchesPrediction predict_launches(const std::string& file, const LaunchesOptions& options,
                                             DeviceProfile profile, const Listener& listener);

/// Launches that are timed one by one, without the start of a sequence.
Machine<double> without_sequence(Machine<double> machine);
/// Throws MissingConstant for a profile that launches cannot be priced on.
void check_rates(const DeviceProfile& profile);

}  // namespace fathom::calls
