// SPDX-License-Identifier: Apache-2.0
#include <fathom/calibration/fit_level.h>
#include <fathom/calibration/fits/fits.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace fathom::fits {
namespace {

/// Since Maxwell every multiprocessor has four schedulers, each with its own lanes.
constexpr int schedulers = 4;

/// True if X gives every scheduler the same number of warps. Register operations stay on their scheduler's
/// lanes: an idle scheduler does not help the others, and with an uneven distribution the fullest one
/// decides. The law's X would have to be that scheduler's.
bool is_balanced(double X, const Machine<double>& machine) {
  const double warps_per_scheduler = X * machine.cores_per_multiprocessor / (machine.warp_width * schedulers);
  return std::abs(warps_per_scheduler - std::round(warps_per_scheduler)) < 1e-9;
}

}  // namespace

void saturation(Fitting& fit) {
  for (auto [level, benchmark] :
       {std::pair(Level::global, &benchmarks::global_copy), std::pair(Level::l2, &benchmarks::l2_copy),
        std::pair(Level::shared, &benchmarks::shared_copy),
        std::pair(Level::registers, &benchmarks::register_ops)}) {
    std::vector<const Series*> series = fit.usable.of(*benchmark, {along::X, along::I, along::accesses});
    // Seconds are converted by the clock observed during the series; the fit.profile's own may differ.
    std::erase_if(series, [](const Series* one) { return one->unit == "s" && !(one->clock_hz > 0); });
    if (level == Level::registers)
      std::erase_if(series, [&](const Series* one) {
        return !is_balanced(one->coordinates.at(along::X), fit.profile.machine);
      });
    const std::string level_name(name(level));
    const LevelFit found = fit_level(level_name, sweep_points(series), fit.random, fit.progress);
    fit.profile.warnings.insert(fit.profile.warnings.end(), found.warnings.begin(), found.warnings.end());
    if (found.latency) set_constant(fit.profile, level_name + ".latency", *found.latency);
    if (found.bandwidth) set_constant(fit.profile, level_name + ".bandwidth", *found.bandwidth);
    if (found.issue) set_constant(fit.profile, level_name + ".issue", *found.issue);
    if (found.sharpness) set_constant(fit.profile, level_name + ".sharpness", *found.sharpness);
    if (found.quality) fit.profile.quality[level_name] = *found.quality;
  }
}

/// A copy waits for its load but not for its store, and both count as accesses: its L should be half of a
/// chase's latency.
void check_latencies(Fitting& fit) {
  for (auto [level, benchmark] :
       {std::pair(Level::global, &benchmarks::chase_dram), std::pair(Level::l2, &benchmarks::chase_l2),
        std::pair(Level::shared, &benchmarks::chase_shared)}) {
    const auto& latency = fit.profile.machine.at(level).latency;
    std::vector<double> chases;
    for (const Series* series : fit.usable.of(*benchmark)) chases.push_back(median(*series));
    if (!latency || chases.empty()) continue;
    const double chased = quartiles(chases).median;
    if (std::abs(*latency / (chased / 2) - 1) > 0.25)
      fit.profile.warnings.push_back(
          fmt::format("{}: L of the sweep is {:.1f} clocks, half of what {} sees is {:.1f}: they differ by "
                      "more than 25 % "
                      "(an access of the sweep is half a load that is waited for and a store that is not)",
                      name(level), *latency, benchmark->name, chased / 2));
  }
}

void check_copy(Fitting& fit) {
  const auto& bandwidth = fit.profile.machine.at(Level::global).bandwidth;
  double copied = 0;  // bytes/s, read and written
  for (const Series* series : fit.usable.of(benchmarks::device_copy, {along::bytes}))
    copied = std::max(copied, 2 * series->coordinates.at(along::bytes) / median(*series));
  if (!bandwidth || copied == 0) return;
  const double swept = *bandwidth * 4 * fit.profile.machine.P() * fit.profile.machine.clock.value;
  if (swept < 0.97 * copied)
    fit.profile.warnings.push_back(
        fmt::format("global: B of the sweep is {:.0f} GB/s, {:.1f} % of the {:.0f} GB/s of a device "
                    "copy, below 97 %",
                    swept / 1e9, 100 * swept / copied, copied / 1e9));
}

}  // namespace fathom::fits
