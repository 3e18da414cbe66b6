// SPDX-License-Identifier: Apache-2.0
#include <fathom/microbench/repetition.h>

#include <catch2/catch.hpp>

#include <algorithm>
#include <random>

using namespace fathom;
using fathom::microbench::fewest_repeats;
using fathom::microbench::has_settled;
using fathom::microbench::Repetition;

namespace {

const Series undisturbed{"global-copy", {}, "s", {1e-3, 1.01e-3, 0.99e-3}, 1.98e9, false};
const Series disturbed{"global-copy", {}, "s", {1e-3, 3e-3, 5e-3}, 1.98e9, false};

/// A GPU that another process uses until `busy_until`; a series takes 20 ms. Time passes only here.
struct BusyGpu {
  double busy_until = 0, now = 0;
  int measured = 0;
  std::vector<double> pauses{};
  std::vector<int> rounds{};

  Repetition repetition(double seconds) {
    return {seconds,
            [this](const Series& series, double pause, int round) {
              CHECK(is_disturbed(series));
              pauses.push_back(pause);
              rounds.push_back(round);
              now += pause;
            },
            [this] { return now; }};
  }
  Series measure() {
    ++measured;
    now += 0.02;
    return now < busy_until ? disturbed : undisturbed;
  }
};

}  // namespace

TEST_CASE("an undisturbed series is measured once, without a pause") {
  BusyGpu gpu;
  Repetition repetition = gpu.repetition(30);
  for (int i = 0; i < 100; ++i) CHECK_FALSE(is_disturbed(repetition([&] { return gpu.measure(); })));
  CHECK(gpu.measured == 100);
  CHECK(gpu.pauses.empty());
}

TEST_CASE("a series that is disturbed once is measured again at once") {
  BusyGpu gpu{.busy_until = 0.03};
  Repetition repetition = gpu.repetition(30);
  CHECK_FALSE(is_disturbed(repetition([&] { return gpu.measure(); })));
  CHECK(gpu.measured == 2);
  CHECK(gpu.pauses.empty());
}

TEST_CASE("a disturbed series is measured again after growing pauses until the GPU is free") {
  BusyGpu gpu{.busy_until = 1};
  Repetition repetition = gpu.repetition(30);
  CHECK_FALSE(is_disturbed(repetition([&] { return gpu.measure(); })));
  CHECK(gpu.pauses == std::vector{0.25, 1.0});
  CHECK(gpu.rounds == std::vector{2, 3});
  CHECK(gpu.measured == 4);
}

TEST_CASE("a GPU that stays busy delays a calibration by no more than the time allowed") {
  BusyGpu gpu{.busy_until = 1e9};
  Repetition repetition = gpu.repetition(30);
  for (int i = 0; i < 400; ++i) CHECK(is_disturbed(repetition([&] { return gpu.measure(); })));
  CHECK(gpu.now - 400 * 0.02 <= 30 + 0.021);  // one series more
  CHECK(gpu.now - 400 * 0.02 >= 29);          // it is used
}

TEST_CASE("samples have settled if all of them lie within 1 % of their median of each other") {
  const auto settled = [](std::vector<double> samples) {
    return has_settled({"global-copy", {}, "s", std::move(samples), 1.98e9, false});
  };
  CHECK(settled({1e-3, 1e-3, 1e-3, 1e-3, 1e-3}));
  CHECK(settled({1.005e-3, 1e-3, 0.996e-3, 1e-3, 1e-3}));
  CHECK_FALSE(settled({1.005e-3, 1e-3, 0.994e-3, 1e-3, 1e-3}));
  CHECK_FALSE(settled({1e-3, 1e-3, 1.2e-3, 1e-3, 1e-3}));
}

// A bootstrap of eleven samples holds it in 92 % of cases.
TEST_CASE("intervals of medians hold the truth nearly as often if calm series end early") {
  constexpr int series = 4000, most = 11, resamples = 100;
  std::mt19937_64 random(1);
  for (const double sigma : {0.0005, 0.002, 0.004, 0.006, 0.01, 0.03}) {
    CAPTURE(sigma);
    std::normal_distribution<double> noise(1, sigma);  // its median is 1
    int held = 0;
    for (int i = 0; i < series; ++i) {
      Series one = undisturbed;
      one.samples.clear();
      while (int(one.samples.size()) < most) {
        if (int(one.samples.size()) == fewest_repeats && has_settled(one)) break;
        one.samples.push_back(noise(random));
      }
      std::uniform_int_distribution<std::size_t> pick(0, one.samples.size() - 1);
      std::vector<double> medians(resamples);
      for (double& median : medians) {
        std::vector<double> drawn(one.samples.size());
        for (double& sample : drawn) sample = one.samples[pick(random)];
        median = quartiles(drawn).median;
      }
      std::ranges::sort(medians);  // the central 95 %, as fits take it
      held += medians[2] <= 1 && 1 <= medians[97];
    }
    CHECK(held > 0.89 * series);
  }
}

TEST_CASE("a pause that throws, as on an interrupt, ends the repetition") {
  struct Interrupt {};
  Repetition repetition(
      30, [](const Series&, double, int) { throw Interrupt{}; }, [] { return 0.0; });
  CHECK_THROWS_AS(repetition([] { return disturbed; }), Interrupt);
}
