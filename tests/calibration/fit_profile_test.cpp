// SPDX-License-Identifier: Apache-2.0
#include "synthetic.h"

#include <fathom/calibration/fit.h>
#include <fathom/model/constants.h>

#include <catch2/catch.hpp>
#include <tuple>

using namespace fathom;
using namespace fathom::synthetic;

namespace {

constexpr Truth global_truth{400, 0.03, 12, 3};
constexpr Truth l2_truth{150, 0.09, 8, 4};
constexpr Truth shared_truth{20, 0.25, 2, 10};
constexpr Truth register_truth{5, 0.5, 0.5, 10};
constexpr double overhead = 3e-6, gap = 1e-6, l2_half = 3e7, l2_half_reading = 4e7, l2_steepness = 6;
constexpr double dram_start = 2e-6, block_start = 150, warp_start = 10;  // s, clocks, clocks

/// A whole calibration with 1 % noise.
DeviceProfile synthetic_calibration() {
  std::mt19937_64 random(7);
  DeviceProfile profile;
  profile.name = "synthetic";
  profile.origin = "measured";
  profile.machine.name = "synthetic";
  profile.machine.multiprocessors = 100;
  profile.machine.cores_per_multiprocessor = 128;
  profile.machine.clock = Hertz{1e9};
  profile.machine.global_memory = Bytes{8e9};
  profile.machine.limits.shared_bytes_per_multiprocessor = 98304;
  profile.machine.limits.shared_bytes_per_block = 49152;
  auto add = [&](std::vector<Series> series) {
    profile.series.insert(profile.series.end(), series.begin(), series.end());
  };
  const auto one = [&](const char* benchmark, std::map<std::string, double> coordinates, const char* unit,
                       double truth) {
    return std::vector{
        Series{benchmark, std::move(coordinates), unit, noisy(truth, 0.01, random), clock_hz, false}};
  };
  add(sweep("global-copy", global_truth, 0.01, random));
  add(sweep("l2-copy", l2_truth, 0.01, random));
  add(sweep("shared-copy", shared_truth, 0.01, random));
  add(sweep("register-ops", register_truth, 0.01, random));
  add(one("chase-dram", {{"bytes", 1e9}}, "clocks", 800));
  add(one("chase-l2", {{"bytes", 1e6}}, "clocks", 300));
  add(one("chase-shared", {{"bytes", 1e4}}, "clocks", 40));
  add(one("clock", {}, "Hz", clock_hz));
  profile.series.back().samples = {clock_hz, clock_hz * 1.001, clock_hz * 0.999};
  add(one("launch-empty", {}, "s", overhead + gap));
  for (double kernels : {1, 10, 100})
    add(one("launch-gap", {{"kernels", kernels}}, "s", overhead + kernels * gap));
  constexpr double launches = 16;
  for (const auto& [benchmark, half, start] :
       {std::tuple{"footprint-copy", l2_half, 1e-7}, {"footprint-read", l2_half_reading, dram_start}})
    for (double bytes = 4e6; bytes < 5e8; bytes *= 1.2) {
      const double share = 1 / (1 + std::pow(bytes / half, l2_steepness));
      const double pass = 1e-6 + share * bytes / 6e12 + (1 - share) * (bytes / 2e12 + start);
      add(one(benchmark, {{"bytes", bytes}, {"launches", launches}}, "s",
              overhead + launches * (gap + pass)));
    }
  for (double threads = 32; threads <= 1024; threads *= 2)
    for (double blocks : {1e4, 1e5, 1e6}) {
      const double clocks = std::max(block_start, warp_start * threads / 32);
      add(one("block-start", {{"threads", threads}, {"blocks", blocks}}, "s",
              3e-6 + blocks / profile.machine.multiprocessors * clocks / clock_hz));
    }
  const double bytes_per_second = global_truth.bandwidth * 4 * profile.machine.P() * clock_hz;
  add(one("device-copy", {{"bytes", 1e9}}, "s", 2e9 / bytes_per_second));
  for (double degree = 1; degree <= 32; ++degree)
    add(one("conflict", {{"degree", degree}, {"X", 4}, {"accesses", 1000}}, "s", 1e-6 * (20 + degree)));
  return profile;
}

void check_level(const Machine<double>& machine, Level level, const Truth& truth) {
  INFO(name(level));
  CHECK(machine.at(level).latency.value() == Approx(truth.latency).epsilon(0.03));
  CHECK(machine.at(level).bandwidth.value() == Approx(truth.bandwidth).epsilon(0.02));
  CHECK(machine.at(level).issue.value() == Approx(truth.issue).epsilon(0.15));
}

bool warns(const DeviceProfile& profile, const std::string& text) {
  return std::ranges::any_of(profile.warnings,
                             [&](const std::string& one) { return one.find(text) != one.npos; });
}

template <class Change>
void change(DeviceProfile& profile, std::string_view benchmark, Change change) {
  for (Series& series : profile.series)
    if (series.benchmark == benchmark) change(series);
}

}  // namespace

TEST_CASE("a calibration's constants are recovered") {
  DeviceProfile profile = synthetic_calibration();
  fit_profile(profile);
  CAPTURE(profile.warnings, profile.implausible);
  CHECK(profile.warnings.empty());
  CHECK(profile.implausible.empty());
  const Machine<double>& machine = profile.machine;
  check_level(machine, Level::global, global_truth);
  check_level(machine, Level::l2, l2_truth);
  check_level(machine, Level::shared, shared_truth);
  check_level(machine, Level::registers, register_truth);
  CHECK(machine.at(Level::global).sharpness.value() == Approx(global_truth.sharpness).epsilon(0.1));
  CHECK(machine.clock.value == Approx(clock_hz));
  CHECK(machine.kernel_gap.value() == Approx(gap).epsilon(0.02));
  CHECK(machine.launch_overhead.value() == Approx(overhead).epsilon(0.05));
  CHECK(machine.block_start.value() == Approx(block_start).epsilon(0.02));
  CHECK(machine.warp_start.value() == Approx(warp_start).epsilon(0.02));
  CHECK(machine.l2_half.value() == Approx(l2_half).epsilon(0.03));
  CHECK(machine.l2_half_reading.value() == Approx(l2_half_reading).epsilon(0.03));
  CHECK(machine.l2_steepness.value() == Approx(l2_steepness).epsilon(0.15));
  CHECK(machine.dram_start.value() == Approx(dram_start).epsilon(0.25));
  CHECK(profile.quality.at("global").mean_relative_error < 0.01);
  CHECK(profile.quality.at("global").knee == Approx(12).epsilon(0.05));
  for_each_constant(machine, [&](std::string_view name, const std::optional<double>& value) {
    INFO(name);
    if (!profile.estimates.contains(std::string(name))) {
      CHECK_FALSE(value);
      return;
    }
    const Estimate& estimate = profile.estimates.at(std::string(name));
    CHECK(value == estimate.value);
    CHECK(estimate.interval->low <= estimate.value);
    CHECK(estimate.value <= estimate.interval->high);
  });

  SECTION("reproducibly from the same samples") {
    const std::string first = to_json(profile);
    fit_profile(profile);
    CHECK(to_json(profile) == first);
  }
}

TEST_CASE("without samples there is no constant, and the clock is kept") {
  DeviceProfile profile = synthetic_calibration();
  profile.series.clear();
  fit_profile(profile);
  for_each_constant(profile.machine, [](std::string_view name, const std::optional<double>& value) {
    INFO(name);
    CHECK_FALSE(value);
  });
  CHECK(profile.estimates.empty());
  CHECK(profile.machine.clock == Hertz{1e9});
  CHECK(warns(profile, "global: not fitted"));
  CHECK(warns(profile, "clock: not measured"));
}

TEST_CASE("constants that the samples do not determine are absent, with a warning, and no others") {
  struct Row {
    const char* what;
    const char* benchmark;
    bool (*is_lost)(const Series&);
    std::vector<std::string> absent;
    const char* warning;
  };
  using C = const Series&;
  const auto row = GENERATE(values<Row>({
      {"a sweep that never reaches saturation",
       "global-copy",
       [](C one) { return one.coordinates.at("X") * one.coordinates.at("I") > 2; },
       {"global.bandwidth"},
       "global: bandwidth left out"},
      {"only one I",
       "shared-copy",
       [](C one) { return one.coordinates.at("I") != 1; },
       {"shared.latency", "shared.bandwidth", "shared.issue", "shared.sharpness"},
       "shared: not fitted"},
      {"too few footprints",
       "footprint-read",
       [](C one) { return one.coordinates.at("bytes") > 1e7; },
       {"l2_half_reading", "dram_start"},
       "footprint-read: not fitted, 6 points are too few"},
      {"footprints with launches of unknown cost",
       "launch-gap",
       [](C) { return true; },
       {"kernel_gap", "launch_overhead", "l2_half", "l2_half_reading", "l2_steepness", "dram_start"},
       "footprints: not fitted"},
      {"a single launch length",
       "launch-gap",
       [](C one) { return one.coordinates.at("kernels") != 10; },
       {"kernel_gap", "launch_overhead", "l2_half", "l2_half_reading", "l2_steepness", "dram_start"},
       "launches: not fitted"},
      {"blocks of one width",
       "block-start",
       [](C one) { return one.coordinates.at("threads") != 128; },
       {"block_start", "warp_start"},
       "block-start: not fitted"},
  }));
  INFO(row.what);
  DeviceProfile complete = synthetic_calibration(), profile = complete;
  fit_profile(complete);
  std::erase_if(profile.series,
                [&](const Series& one) { return one.benchmark == row.benchmark && row.is_lost(one); });
  fit_profile(profile);
  for (const auto& constant : constants<double>()) {
    INFO(constant.name);
    const bool is_absent = std::ranges::count(row.absent, constant.name) > 0;
    if (constant.member.of(complete.machine))
      CHECK(constant.member.of(profile.machine).has_value() != is_absent);
  }
  CHECK(warns(profile, row.warning));
}

TEST_CASE("a footprint curve without a step gives no footprint, and the reads give the steepness") {
  DeviceProfile profile = synthetic_calibration();
  change(profile, "footprint-copy",
         [](Series& one) { one.samples = {1e-4 + 1e-12 * one.coordinates.at("bytes")}; });
  fit_profile(profile);
  CHECK_FALSE(profile.machine.l2_half);
  CHECK(profile.machine.l2_half_reading);
  CHECK(profile.machine.l2_steepness);  // without it the L2 would serve nothing
  CHECK(warns(profile, "footprint-copy: not fitted, the curve shows no step"));
}

TEST_CASE("instruments that disagree are reported") {
  const auto [benchmark, factor, least_degree, warning] = GENERATE(
      table<const char*, double, double, const char*>({{"chase-dram", 1.5, 0, "global: L of the sweep"},
                                                       {"device-copy", 0.94, 0, "global: B of the sweep"},
                                                       {"conflict", 3, 16, "conflict degree"}}));
  DeviceProfile profile = synthetic_calibration();
  const double by = factor, least = least_degree;  // which lambdas can capture
  change(profile, benchmark, [&](Series& one) {
    if (least > 0 && one.coordinates.at("degree") <= least) return;
    for (double& sample : one.samples) sample *= by;
  });
  fit_profile(profile);
  CHECK(warns(profile, warning));
}

TEST_CASE("a clock that moved spoils no fit, and one that drifted is reported") {
  DeviceProfile profile = synthetic_calibration();
  profile.series.front().clock_moved = true;
  profile.series.front().samples = {1};
  change(profile, "clock", [](Series& one) {
    one.samples = {1.5e9, 1.4e9, 1.5e9};
    one.clock_moved = true;
  });
  profile.machine.clock = Hertz{};
  fit_profile(profile);
  CHECK(warns(profile, "the clock moved"));
  check_level(profile.machine, Level::global, global_truth);
  CHECK(warns(profile, "clock: it ran between 1400 and 1500 MHz"));
  CHECK(profile.machine.clock.value == Approx(1.5e9));
}

TEST_CASE("the intervals of L and B contain the true values in nine of ten trials") {
  constexpr int trials = 40;
  int latency_held = 0, bandwidth_held = 0;
  std::mt19937_64 random(11);
  for (int trial = 0; trial < trials; ++trial) {
    const auto series = sweep("global-copy", global_truth, 0.01, random, 0.03);
    const LevelFit fit = fit_level("global", sweep_points(pointers(series)), random);
    const auto holds = [](const Estimate& estimate, double truth) {
      return estimate.interval->low <= truth && truth <= estimate.interval->high;
    };
    latency_held += holds(fit.latency.value(), global_truth.latency);
    bandwidth_held += holds(fit.bandwidth.value(), global_truth.bandwidth);
  }
  CHECK(latency_held >= 0.85 * trials);
  CHECK(bandwidth_held >= 0.85 * trials);
}

TEST_CASE("latency and bandwidth of a simulated core are recovered, although its samples follow no law") {
  // c > 1/B: otherwise the pipeline, not the issue cost, would space the accesses of one thread.
  constexpr double latency = 300, bandwidth = 0.125, issue = 12;
  std::mt19937_64 random(3);
  std::vector<Series> series;
  for (int X = 1; X <= 64; X *= 2)
    for (int I = 1; I <= 16; I *= 2) {
      const double clocks = simulated_clocks_per_access(latency, bandwidth, issue, X, I, random);
      series.push_back(sweep_point("global-copy", X, I, noisy(clocks * 1000 / clock_hz, 0.01, random), 1000));
    }
  const LevelFit fit = fit_level("global", sweep_points(pointers(series)), random);
  CHECK(fit.latency.value().value == Approx(latency).epsilon(0.02));
  CHECK(fit.bandwidth.value().value == Approx(bandwidth).epsilon(0.01));
  CHECK(fit.quality->mean_relative_error < 0.02);
  // Near the knee threads queue behind each other, which the law does not model.
  CHECK(fit.quality->worst_relative_error < 0.08);
  // c is determined best at I = 16, as part of L/I + c.
  CHECK(fit.issue.value().value == Approx(issue).margin(0.08 * (latency / 16 + issue)));
}

TEST_CASE("the fit of a calibration can be cancelled") {
  DeviceProfile profile = synthetic_calibration();
  const Progress cancel = [](std::string_view, std::size_t, std::size_t) {
    throw std::runtime_error("stop");
  };
  CHECK_THROWS_WITH(fit_profile(profile, cancel), "stop");
}
