// SPDX-License-Identifier: Apache-2.0
#include <fathom/calibration/fit.h>
#include <fathom/calibration/fits/fits.h>
#include <fathom/calibration/plausible.h>

#include <cstdint>

namespace fathom {
namespace {

constexpr std::uint64_t seed = 20180612;

/// In the order in which they run: later ones use what earlier ones have set.
constexpr std::array fits_before_rates{fits::clock,      fits::saturation, fits::check_latencies,
                                       fits::check_copy, fits::launches,   fits::block_starts,
                                       fits::footprints};

void forget_old_fits(DeviceProfile& profile) {
  for_each_constant(profile.machine, [](std::string_view, std::optional<double>& value) { value.reset(); });
  profile.estimates.clear();
  profile.quality.clear();
  profile.warnings.clear();
  profile.implausible.clear();
}

}  // namespace

void fit_profile(DeviceProfile& profile, const Progress& progress) {
  forget_old_fits(profile);
  std::mt19937_64 random(seed);
  const UsableSeries usable(profile);
  fits::Fitting fitting{profile, profile.machine, usable, random, progress};
  for (const auto fit : fits_before_rates) fit(fitting);
  for (const auto fit : fits::of_rates) fit(fitting);
  fits::check_conflicts(fitting);
  profile.implausible = why_implausible(profile);
  if (progress) progress("", 1, 1);
}

}  // namespace fathom
