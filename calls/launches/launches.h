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

/// The machine for launches that are timed one by one, from their first instruction to their last: without
/// the start of a sequence, and without the gap from one to the next. With it, launches of microseconds came
/// out up to 80 % slow (data/h200-imports).
Machine<double> without_sequence(Machine<double> machine);
/// Throws MissingConstant for a profile that launches cannot be priced on.
void check_rates(const DeviceProfile& profile);

}  // namespace fathom::calls
