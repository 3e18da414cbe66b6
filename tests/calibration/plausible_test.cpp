// SPDX-License-Identifier: Apache-2.0
// Profiles of real GPUs are believed; the same measurements, disturbed, are not.
#include <fathom/calibration/fit.h>
#include <fathom/calibration/plausible.h>
#include <fathom/store/profile.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

using namespace fathom;

namespace {

DeviceProfile calibration(const std::string& name) {
  return read_profile(std::string(FATHOM_DATA_DIRECTORY "/calibrations/") + name + ".json");
}

/// The quick calibration of an H200: all benchmarks, few points, so that it is quickly fitted again.
DeviceProfile quick() {
  static const DeviceProfile profile = calibration("quick");
  return profile;
}

std::vector<std::string> refitted(DeviceProfile& profile) {
  fit_profile(profile);
  return profile.implausible;
}

/// Calls `change` for every series of the benchmark, or of all for "".
template <class Change>
void change(DeviceProfile& profile, const std::string& benchmark, Change change) {
  for (Series& series : profile.series)
    if (benchmark.empty() || series.benchmark == benchmark) change(series);
}

void scale(DeviceProfile& profile, const std::string& benchmark, double factor) {
  change(profile, benchmark, [&](Series& series) {
    for (double& sample : series.samples) sample *= factor;
  });
}

/// Another process takes its turns: this share of the samples lasts 2 to 100 times longer.
void slice_time(DeviceProfile& profile, double share, unsigned seed) {
  std::mt19937_64 random(seed);
  std::bernoulli_distribution hit(share);
  std::uniform_real_distribution<double> log_factor(std::log(2.0), std::log(100.0));
  change(profile, "", [&](Series& series) {
    if (series.benchmark == "clock") return;
    for (double& sample : series.samples)
      if (hit(random)) sample *= std::exp(log_factor(random));
  });
}

bool says(const std::vector<std::string>& reasons, const std::string& text) {
  return std::any_of(reasons.begin(), reasons.end(),
                     [&](const std::string& reason) { return reason.find(text) != std::string::npos; });
}

/// By how much a key constant differs from the undisturbed calibration's.
double worst_difference(const DeviceProfile& profile) {
  const Machine<double> undisturbed = quick().machine;
  double worst = std::abs(profile.machine.clock.value / undisturbed.clock.value - 1);
  for (Level level : all_levels) {
    const auto &found = profile.machine.at(level), &truth = undisturbed.at(level);
    worst = std::max({worst, std::abs(*found.bandwidth / *truth.bandwidth - 1),
                      std::abs(*found.latency / *truth.latency - 1)});
  }
  return worst;
}

}  // namespace

TEST_CASE("measurements of an undisturbed H200 are believed, with room to spare") {
  std::vector<DeviceProfile> profiles{built_in_profile("h200")};
  for (const char* name : {"again", "third", "quick"}) profiles.push_back(calibration(name));
  for (const DeviceProfile& profile : profiles) {
    CAPTURE(profile.provenance.command);
    CHECK(profile.implausible.empty());
    CHECK(why_implausible(profile).empty());
    for (const auto& [benchmark, factor] :
         {std::pair("device-copy", 0.88), std::pair("device-copy", 1.18), std::pair("chase-dram", 0.6),
          std::pair("chase-dram", 1.6), std::pair("chase-l2", 1.6), std::pair("chase-shared", 1.6)}) {
      CAPTURE(benchmark, factor);
      DeviceProfile other = profile;
      scale(other, benchmark, factor);
      CHECK(why_implausible(other).empty());
    }
    DeviceProfile few_lost = profile;
    for (std::size_t i = 0; i < few_lost.series.size(); i += 20) few_lost.series[i].clock_moved = true;
    CHECK(why_implausible(few_lost).empty());
  }
}

TEST_CASE("a profile without a key constant is not believed") {
  for (const auto& [benchmark, constant] :
       {std::pair("global-copy", "global.bandwidth"), std::pair("global-copy", "global.latency"),
        std::pair("l2-copy", "l2.bandwidth"), std::pair("shared-copy", "shared.latency"),
        std::pair("register-ops", "register.bandwidth"), std::pair("launch-empty", "launch_overhead"),
        std::pair("launch-gap", "kernel_gap")}) {
    CAPTURE(benchmark);
    DeviceProfile profile = quick();
    const std::string lost = benchmark;
    std::erase_if(profile.series, [&](const Series& series) { return series.benchmark == lost; });
    CHECK(says(refitted(profile), constant + std::string(" is missing")));
  }
  DeviceProfile profile = quick();
  profile.machine.clock = Hertz{0};
  CHECK(says(why_implausible(profile), "clock is missing"));

  profile = quick();
  profile.machine.at(Level::l2) = {};
  CHECK(says(why_implausible(profile), "l2.latency is missing"));
  profile.machine.l2_capacity.reset();
  CHECK(why_implausible(profile).empty());
}

TEST_CASE("a constant at the bound of its fit is not believed") {
  DeviceProfile profile = quick();
  profile.machine.launch_overhead = 0;
  CHECK(says(why_implausible(profile), "launch_overhead is 0, at the bound"));
  profile = quick();
  profile.machine.at(Level::l2).sharpness = 1.0001;
  CHECK(says(why_implausible(profile), "l2.sharpness"));
  profile = quick();
  profile.machine.l2_steepness = 0.5001;
  CHECK(says(why_implausible(profile), "l2_steepness"));
  profile = quick();
  profile.estimates.at("kernel_gap").interval = Interval{1e-6, 3e-6};
  CHECK(says(why_implausible(profile), "kernel_gap is known only as 1 to 3 µs"));
}

TEST_CASE("measurements of the same hardware that contradict each other are not believed") {
  DeviceProfile profile = quick();
  SECTION("of one benchmark") {
    const auto [benchmark, factor, reason] = GENERATE(table<const char*, double, const char*>(
        {{"global-copy", 2, "a copy by the driver, not between 80 and 120 %"},
         {"device-copy", 2, "global.bandwidth is 4081 GB/s, 192 % of the 2126 GB/s"},
         {"chase-l2", 3, "l2.latency"},
         {"shared-copy", 4, "of what its banks deliver"}}));
    CAPTURE(benchmark);
    scale(profile, benchmark, factor);
    CHECK(says(refitted(profile), reason));
  }
  SECTION("an L2 slower than DRAM") {
    scale(profile, "l2-copy", 3);
    const auto reasons = refitted(profile);
    CHECK(says(reasons, "global.latency"));
    CHECK(says(reasons, "of the nearer level l2"));
  }
  SECTION("a copy that was not measured") {
    std::erase_if(profile.series, [](const Series& series) { return series.benchmark == "device-copy"; });
    CHECK(says(why_implausible(profile), "no copy by the driver was measured"));
  }
}

TEST_CASE("a calibration during which the clock moved is not believed") {
  DeviceProfile profile = quick();
  SECTION("within the series") {
    change(profile, "", [](Series& series) { series.clock_moved = true; });
    CHECK(says(refitted(profile), "series were disturbed and are left out"));
  }
  SECTION("between them") {  // as under a power limit
    std::size_t i = 0;
    change(profile, "", [&](Series& series) {
      const double slower = i++ % 3 == 0 ? 0.8 : 1;
      series.clock_hz *= slower;
      if (series.unit == "s")
        for (double& sample : series.samples) sample /= slower;
      if (series.benchmark == "clock") {
        series.clock_moved = true;
        for (std::size_t j = 0; j < series.samples.size(); j += 3) series.samples[j] *= 0.8;
      }
    });
    const auto reasons = refitted(profile);
    CHECK(says(reasons, "the clock ran between 15"));
    CHECK(profile.machine.clock.value == Approx(1.98e9).epsilon(0.001));  // known, although it moved
  }
}

TEST_CASE("a calibration beside other work is not believed, whatever its samples are") {
  DeviceProfile profile = quick();
  profile.series.push_back({"other-load", {}, "percent", {12}, 0, false});
  CHECK(refitted(profile).empty());
  profile.series.back().samples = {97};
  CHECK(refitted(profile) ==
        std::vector<std::string>{"the GPU was 97 % busy with other work when the calibration began"});
}

TEST_CASE("a calibration beside a process that takes its turns is right or not believed") {
  for (const double share : {0.003, 0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 0.9})
    for (unsigned seed = 1; seed <= 3; ++seed) {
      CAPTURE(share, seed);
      DeviceProfile profile = quick();
      slice_time(profile, share, seed);
      const auto reasons = refitted(profile);
      CAPTURE(reasons);
      if (reasons.empty()) CHECK(worst_difference(profile) < 0.03);
      if (share <= 0.003) CHECK(reasons.empty());
      if (share >= 0.2) CHECK_FALSE(reasons.empty());
    }
}

TEST_CASE("the fits leave out series that were disturbed, and say why") {
  Series series{"l2-copy", {}, "s", {1e-3, 1e-3, 1e-3}, 1.98e9, false};
  CHECK_FALSE(why_left_out(series));
  series.samples = {1e-3, 2e-3, 4e-3};
  CHECK(
      why_left_out(series).value() ==
      "its samples vary too much: the middle half by 75 % of the median, the highest is 2 times the median");
  series.clock_moved = true;
  CHECK(why_left_out(series).value() == "the clock moved");
  series.samples = {1e-3, 0, 1e-3};
  CHECK(why_left_out(series).value() == "it holds no positive samples");
}
