// SPDX-License-Identifier: Apache-2.0
#include <fathom/microbench/repetition.h>

#include <catch2/catch.hpp>

using namespace fathom;
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

TEST_CASE("a pause that throws, as on an interrupt, ends the repetition") {
  struct Interrupt {};
  Repetition repetition(
      30, [](const Series&, double, int) { throw Interrupt{}; }, [] { return 0.0; });
  CHECK_THROWS_AS(repetition([] { return disturbed; }), Interrupt);
}
