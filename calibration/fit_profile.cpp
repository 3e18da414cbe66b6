// SPDX-License-Identifier: Apache-2.0
#include <fathom/calibration/fit.h>
#include <fathom/calibration/fits/fits.h>
#include <fathom/calibration/plausible.h>

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace fathom {
namespace {

constexpr std::uint64_t seed = 20180612;

/// In the order in which they run: later ones use what earlier ones have set.
constexpr std::array fits_before_rates{fits::clock,      fits::saturation, fits::check_latencies,
                                       fits::check_copy, fits::launches,   fits::block_starts,
                                       fits::footprints};

void forget_old_fits(DeviceProfile& profile) {
  for_each_constant(profile.machine, [](std::string_view, std::optional<double>& value) { value.reset(); });
  if (profile.machine.links) profile.machine.links->curves.clear();
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
  fits::links(fitting);
  profile.implausible = why_implausible(profile);
  if (progress) progress("", 1, 1);
}

void fit_links(DeviceProfile& profile) {
  const auto is_of_links = [](std::string_view name) {
    return std::ranges::any_of(benchmarks::of_links,
                               [&](const Benchmark* benchmark) { return name.starts_with(benchmark->name); });
  };
  // A profile of its own, so that what the fits say of other series is not said twice.
  DeviceProfile linked;
  linked.machine.links = profile.machine.links;
  std::ranges::copy_if(profile.series, std::back_inserter(linked.series), is_of_links, &Series::benchmark);
  forget_old_fits(linked);
  std::mt19937_64 random(seed);
  const UsableSeries usable(linked);
  fits::Fitting fitting{linked, linked.machine, usable, random, {}};
  fits::links(fitting);
  profile.machine.links = linked.machine.links;
  std::erase_if(profile.warnings, is_of_links);
  std::ranges::move(linked.warnings, std::back_inserter(profile.warnings));
}

}  // namespace fathom
