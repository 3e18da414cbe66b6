// SPDX-License-Identifier: Apache-2.0
// Whether the measurements behind a profile can be believed.
#pragma once

#include <fathom/store/profile.h>

#include <optional>
#include <string>
#include <vector>

namespace fathom {

/// Percent of the time that other processes may keep the GPU busy: a desktop's own drawing stays below. More
/// lowers the clock and empties the caches, which no spread of samples shows if it goes on all the time. The
/// series "other-load" holds it.
inline constexpr double most_other_load = 20;

/// Why the fits leave the series out: no positive samples, a clock that moved, or samples too far apart.
/// Absent if they use it.
std::optional<std::string> why_left_out(const Series& series);

/// Why a fitted profile must not be believed: one line for each reason, with figures. Empty for a measurement
/// on an undisturbed GPU. `profile` must be freshly fitted to its raw series: fit_profile() keeps the answer
/// in it.
///
/// - A constant that every prediction needs is missing or at the bound of its fit.
/// - Independent measurements of the same hardware contradict each other. Small differences are warnings of
///   the fit.
/// - The laws do not describe the samples, too many series were disturbed, or the clock was not the same in
/// all.
/// - Other processes kept the GPU busy.
std::vector<std::string> why_implausible(const DeviceProfile& profile);

}  // namespace fathom
