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
