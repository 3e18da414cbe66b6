// SPDX-License-Identifier: Apache-2.0
#include <fathom/core/measurement.h>

#include <catch2/catch.hpp>

using namespace fathom;

TEST_CASE("quartiles interpolate between order statistics") {
  const Quartiles five = quartiles({5, 1, 4, 2, 3});
  CHECK(five.low == 2);
  CHECK(five.median == 3);
  CHECK(five.high == 4);
  const Quartiles two = quartiles({10, 20});
  CHECK(two.low == Approx(12.5));
  CHECK(two.median == Approx(15));
  CHECK(two.high == Approx(17.5));
  CHECK(quartiles({7}).median == 7);
  CHECK_THROWS_AS(quartiles({}), std::invalid_argument);
}

TEST_CASE(
    "a series is disturbed if the clock moved, a quarter of its samples differ, or one is twice the median") {
  const auto series = [](std::vector<double> samples, const char* unit = "s") {
    return Series{"global-copy", {}, unit, std::move(samples), 1.98e9, false};
  };
  Series steady = series({1.00e-3, 1.01e-3, 0.99e-3, 1.02e-3, 1.00e-3, 0.98e-3, 1.01e-3, 1.00e-3});
  CHECK_FALSE(is_disturbed(steady));
  steady.clock_moved = true;
  CHECK(is_disturbed(steady));
  CHECK_FALSE(is_disturbed(series({1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 1.9e-3})));
  CHECK(is_disturbed(series({1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 2.1e-3})));
  CHECK(is_disturbed(series({1e-3, 1.2e-3, 1e-3, 1e-3, 1.2e-3, 1e-3, 1e-3, 1e-3, 1.2e-3, 1e-3, 1.3e-3})));
  // Ticks of the event timer are no disturbance, but count against a time of milliseconds or clocks.
  CHECK_FALSE(is_disturbed(series({2.5e-6, 3.0e-6, 2.5e-6, 3.0e-6})));
  CHECK(is_disturbed(series({23, 30, 23, 30}, "clocks")));
  CHECK_FALSE(is_disturbed(series({})));
  CHECK_FALSE(is_disturbed(series({7})));
}
