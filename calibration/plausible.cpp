// SPDX-License-Identifier: Apache-2.0
#include <fathom/calibration/fit_level.h>
#include <fathom/calibration/plausible.h>
#include <fathom/core/benchmarks.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace fathom {
namespace {

using Reasons = std::vector<std::string>;

/// A tenth of the series may be lost: an undisturbed calibration loses none, and the fits have several times
/// more points than constants.
constexpr double most_left_out = 0.1;
/// A quarter of a sweep whose points are fitted alone may be left out: 5 of 18 points in a quick calibration.
constexpr double most_left_out_of_sweep = 0.25;
/// Series whose clock is this far from the profile's are converted correctly one by one, but DRAM and
/// launches do not follow the clock: their constants in clocks are then those of another clock.
constexpr double clock_tolerance = 0.03;
/// The sweep of an undisturbed GPU reaches 96 to 97 % of a copy by the driver. Below 80 % something else had
/// its share of the memory; above 120 % something else slowed the copy, or the sweep was served by the L2.
constexpr double least_of_copy = 0.8, most_of_copy = 1.2;
/// L of a sweep is within 15 % of half a chase's latency on an H200. The chase includes page walks, so that
/// other GPUs may differ more, but not by a factor of two.
constexpr double most_of_chase = 2;
/// Shared memory delivers a word per bank and clock on every GPU. 99 % of it was seen.
constexpr double least_of_banks = 0.5, most_of_banks = 1.2;
/// The laws describe an H200 within 3 % on average.
constexpr double largest_mean_error = 0.15;
/// A constant known only within a factor of two is not known (fit_level() applies the same limit).
constexpr double widest_interval = 2;

constexpr std::array<std::string_view, 6> not_fitted{
    benchmarks::launch_host.name,         benchmarks::launch_start.name,
    benchmarks::flag_flight.name,         benchmarks::shared_atomics.name,
    benchmarks::global_atomic_chase.name, benchmarks::shared_atomic_chase.name};

bool is_positive(const std::optional<double>& constant) {
  return constant && *constant > 0;
}

// ---- constants ----

bool has_l2(const Machine<double>& machine) {
  return machine.l2_capacity && machine.l2_capacity->value > 0;
}

void find_missing(const Machine<double>& machine, Reasons& reasons) {
  std::vector<std::string> missing;
  const auto require = [&](const std::string& name, const std::optional<double>& constant) {
    if (!constant) missing.push_back(name);
  };
  if (!(machine.clock.value > 0)) missing.push_back("clock");
  for (Level level : all_levels) {
    if (level == Level::l2 && !has_l2(machine)) continue;
    require(std::string(name(level)) + ".latency", machine.at(level).latency);
    require(std::string(name(level)) + ".bandwidth", machine.at(level).bandwidth);
  }
  require("launch_overhead", machine.launch_overhead);
  require("kernel_gap", machine.kernel_gap);
  for (const std::string& constant : missing)
    reasons.push_back(fmt::format("{} is missing: the samples do not determine it", constant));
}

void find_bounds(const DeviceProfile& profile, Reasons& reasons) {
  const Machine<double>& machine = profile.machine;
  const auto at_bound = [&](std::string_view constant, double value, double bound) {
    reasons.push_back(fmt::format("{} is {:.4g}, at the bound of its fit, {:g}", constant, value, bound));
  };
  constexpr double near = 1.01;
  for (Level level : all_levels)
    if (const auto& sharpness = machine.at(level).sharpness; sharpness && *sharpness < near * least_sharpness)
      at_bound(std::string(name(level)) + ".sharpness", *sharpness, least_sharpness);
  if (machine.l2_steepness && *machine.l2_steepness < near * least_l2_steepness)
    at_bound("l2_steepness", *machine.l2_steepness, least_l2_steepness);
  if (machine.launch_overhead && !is_positive(machine.launch_overhead))
    at_bound("launch_overhead", *machine.launch_overhead, 0);
  for (const char* constant : {"launch_overhead", "kernel_gap"}) {
    const auto found = profile.estimates.find(constant);
    if (found == profile.estimates.end() || !found->second.interval || !(found->second.value > 0)) continue;
    const Interval interval = *found->second.interval;
    if (interval.high > widest_interval * interval.low)
      reasons.push_back(fmt::format("{} is known only as {:.4g} to {:.4g} µs", constant, 1e6 * interval.low,
                                    1e6 * interval.high));
  }
}

// ---- measurements that contradict each other ----

/// Medians of the benchmark's series that the fits use.
std::vector<const Series*> used_series(const DeviceProfile& profile, const Benchmark& benchmark) {
  std::vector<const Series*> used;
  for (const Series& series : profile.series)
    if (series.benchmark == benchmark.name && !why_left_out(series)) used.push_back(&series);
  return used;
}

double median(const Series& series) {
  return quartiles(series.samples).median;
}

void compare_with_copy(const DeviceProfile& profile, Reasons& reasons) {
  const Machine<double>& machine = profile.machine;
  const auto& bandwidth = machine.at(Level::global).bandwidth;
  double copied = 0;  // bytes/s, read and written
  for (const Series* series : used_series(profile, benchmarks::device_copy))
    if (series->coordinates.contains(along::bytes))
      copied = std::max(copied, 2 * series->coordinates.at(along::bytes) / median(*series));
  if (copied == 0) {
    reasons.emplace_back(
        "global.bandwidth has nothing to be compared with: no copy by the driver was measured");
    return;
  }
  if (!bandwidth || !(machine.clock.value > 0)) return;
  const double swept = *bandwidth * 4 * machine.P() * machine.clock.value;
  if (swept < least_of_copy * copied || swept > most_of_copy * copied)
    reasons.push_back(fmt::format(
        "global.bandwidth is {:.0f} GB/s, {:.0f} % of the {:.0f} GB/s of a copy by the driver, "
        "not between {:.0f} and {:.0f} %",
        swept / 1e9, 100 * swept / copied, copied / 1e9, 100 * least_of_copy, 100 * most_of_copy));
}

void compare_with_chases(const DeviceProfile& profile, Reasons& reasons) {
  for (auto [level, benchmark] :
       {std::pair(Level::global, &benchmarks::chase_dram), std::pair(Level::l2, &benchmarks::chase_l2),
        std::pair(Level::shared, &benchmarks::chase_shared)}) {
    const auto& latency = profile.machine.at(level).latency;
    std::vector<double> chased;
    for (const Series* series : used_series(profile, *benchmark)) chased.push_back(median(*series));
    if (!latency || chased.empty()) continue;
    const double expected = quartiles(chased).median / 2;
    if (*latency > most_of_chase * expected || most_of_chase * *latency < expected)
      reasons.push_back(fmt::format(
          "{}.latency is {:.1f} clocks, {} gives {:.1f}: they differ by more than a factor of {:g}",
          name(level), *latency, benchmark->name, expected, most_of_chase));
  }
}

void compare_with_banks(const Machine<double>& machine, Reasons& reasons) {
  const auto& bandwidth = machine.at(Level::shared).bandwidth;
  if (!bandwidth || machine.cores_per_multiprocessor <= 0) return;
  const double banks = double(machine.warp_width) / machine.cores_per_multiprocessor;
  if (*bandwidth < least_of_banks * banks || *bandwidth > most_of_banks * banks)
    reasons.push_back(
        fmt::format("shared.bandwidth is {:.4g} words per clock and core, {:.0f} % of what its banks deliver",
                    *bandwidth, 100 * *bandwidth / banks));
}

/// A level further from the cores is slower in both respects.
void compare_levels(const Machine<double>& machine, Reasons& reasons) {
  std::vector<Level> levels{Level::registers, Level::shared, Level::l2, Level::global};
  if (!has_l2(machine)) std::erase(levels, Level::l2);
  for (std::size_t i = 1; i < levels.size(); ++i) {
    const auto &near = machine.at(levels[i - 1]), &far = machine.at(levels[i]);
    const std::string_view near_name = name(levels[i - 1]), far_name = name(levels[i]);
    if (near.latency && far.latency && *far.latency < *near.latency)
      reasons.push_back(fmt::format("{}.latency is {:.4g} clocks, below the {:.4g} of the nearer level {}",
                                    far_name, *far.latency, *near.latency, near_name));
    if (near.bandwidth && far.bandwidth && *far.bandwidth > *near.bandwidth)
      reasons.push_back(fmt::format(
          "{}.bandwidth is {:.4g} words per clock and core, above the {:.4g} of the nearer level {}",
          far_name, *far.bandwidth, *near.bandwidth, near_name));
  }
}

// ---- the samples ----

void check_errors(const DeviceProfile& profile, Reasons& reasons) {
  for (const auto& [level, quality] : profile.quality)
    if (!(quality.mean_relative_error <= largest_mean_error))
      reasons.push_back(fmt::format("{}: the law is off the samples by {:.0f} % on average", level,
                                    100 * quality.mean_relative_error));
}

void check_clock(const DeviceProfile& profile, Reasons& reasons) {
  const double clock = profile.machine.clock.value;
  std::vector<double> clocks;
  for (const Series& series : profile.series)
    if (series.clock_hz > 0) clocks.push_back(series.clock_hz);
  if (clocks.empty() || !(clock > 0)) return;
  const auto off = std::count_if(clocks.begin(), clocks.end(),
                                 [&](double one) { return std::abs(one / clock - 1) > clock_tolerance; });
  const auto [slowest, fastest] = std::minmax_element(clocks.begin(), clocks.end());
  if (double(off) > most_left_out * double(clocks.size()))
    reasons.push_back(fmt::format(
        "the clock ran between {:.0f} and {:.0f} MHz: in {} of {} series it is more than {:.0f} % "
        "off the profile's {:.0f} MHz",
        *slowest / 1e6, *fastest / 1e6, off, clocks.size(), 100 * clock_tolerance, clock / 1e6));
}

void check_other_load(const DeviceProfile& profile, Reasons& reasons) {
  for (const Series* series : used_series(profile, benchmarks::other_load))
    if (const double load = median(*series); load > most_other_load)
      reasons.push_back(
          fmt::format("the GPU was {:.0f} % busy with other work when the calibration began", load));
}

void count_left_out(const DeviceProfile& profile, Reasons& reasons) {
  struct Count {
    int left_out = 0, all = 0;
    /// One series alone proves nothing, and if it was the only one its constant is missing.
    bool too_many(double share) const { return left_out > 1 && left_out > share * all; }
  };
  std::map<std::string, Count> by_benchmark;
  Count total;
  for (const Series& series : profile.series) {
    // Nothing is fitted to these: host time, and what no law knows yet.
    if (std::ranges::count(not_fitted, series.benchmark) > 0) continue;
    Count& count = by_benchmark[series.benchmark];
    const int left_out = why_left_out(series) ? 1 : 0;
    for (Count* one : {&count, &total}) {
      one->left_out += left_out;
      ++one->all;
    }
  }
  if (total.too_many(most_left_out))
    reasons.push_back(
        fmt::format("{} of {} series were disturbed and are left out", total.left_out, total.all));
  for (const auto& [benchmark, count] : by_benchmark)
    if (count.too_many(most_left_out_of_sweep))
      reasons.push_back(fmt::format("{}: {} of {} series were disturbed and are left out", benchmark,
                                    count.left_out, count.all));
}

}  // namespace

std::optional<std::string> why_left_out(const Series& series) {
  if (series.samples.empty() || std::any_of(series.samples.begin(), series.samples.end(), [](double sample) {
        return !(sample > 0) || !std::isfinite(sample);
      }))
    return "it holds no positive samples";
  // The series of the clock itself shows how it moved: its median is the profile's clock all the same.
  if (series.benchmark == benchmarks::clock.name) return std::nullopt;
  if (series.clock_moved) return "the clock moved";
  if (!is_disturbed(series)) return std::nullopt;
  const auto [low, median, high] = quartiles(series.samples);
  return fmt::format(
      "its samples vary too much: the middle half by {:.0f} % of the median, the highest is {:.3g} "
      "times the median",
      100 * (high - low) / median, *std::max_element(series.samples.begin(), series.samples.end()) / median);
}

std::vector<std::string> why_implausible(const DeviceProfile& profile) {
  Reasons reasons;
  find_missing(profile.machine, reasons);
  find_bounds(profile, reasons);
  compare_with_copy(profile, reasons);
  compare_with_chases(profile, reasons);
  compare_with_banks(profile.machine, reasons);
  compare_levels(profile.machine, reasons);
  check_errors(profile, reasons);
  check_clock(profile, reasons);
  check_other_load(profile, reasons);
  count_left_out(profile, reasons);
  return reasons;
}

}  // namespace fathom
