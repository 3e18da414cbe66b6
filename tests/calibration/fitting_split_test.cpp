// SPDX-License-Identifier: Apache-2.0
#include <fathom/calibration/fitting_split.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <sstream>

using namespace fathom;

namespace {

/// "E 17 t 256"
Parameters parsed(const std::string& text) {
  std::istringstream words(text);
  Parameters parameters;
  std::string name;
  for (int value; words >> name >> value;) parameters.set(name, value);
  return parameters;
}

}  // namespace

// If one of these changed sides, runs that were fitted would count as unseen.
TEST_CASE("sizes and parameters stay on their original side") {
  for (const char* set : {"E 17 t 256", "E 15 t 128", "E 3 t 64", "alpha 8 t 256", "t 128", "t 512",
                          "I 2 t 512", "k 65536 t 128"}) {
    CAPTURE(set);
    CHECK(parameters_are_for_fitting(parsed(set)));
  }
  for (const char* set : {"", "E 47 t 512", "E 31 t 128", "E 16 t 256", "E 104 t 128", "alpha 1 t 128",
                          "alpha 32 t 512", "t 256", "I 4 t 256", "I 1 t 128", "k 1048576 t 256"}) {
    CAPTURE(set);
    CHECK_FALSE(parameters_are_for_fitting(parsed(set)));
  }
  for (const double n : {1000., 1024., 4096., 3e4, 65536., 1e5, 0x1p20, 5e6, 0x1p24, 4e7, 1.5e8, 6e8}) {
    CAPTURE(n);
    CHECK(size_is_for_fitting(n));
  }
  for (const double n : {3000., 3e5, 0x1p22, 0x1p26, 1e8, 0x1p28}) {
    CAPTURE(n);
    CHECK_FALSE(size_is_for_fitting(n));
  }
}

TEST_CASE("the side does not depend on the order of the parameters") {
  for (int E = 3; E <= 47; ++E)
    for (int t : {64, 128, 256, 512})
      CHECK(parameters_are_for_fitting({{"E", E}, {"t", t}}) ==
            parameters_are_for_fitting({{"t", t}, {"E", E}}));
}

TEST_CASE("the split is balanced, and the defaults are for fitting") {
  int sizes = 0;
  for (int k = 10; k <= 28; ++k) sizes += size_is_for_fitting(std::ldexp(1, k));
  CHECK(sizes >= 8);
  CHECK(sizes <= 11);
  int sets = 0;
  for (int E = 3; E <= 47; ++E)
    for (int t : {64, 128, 256, 512}) sets += parameters_are_for_fitting({{"E", E}, {"t", t}});
  CHECK(sets >= 75);
  CHECK(sets <= 105);
  CHECK(size_is_for_fitting(std::ldexp(1, 20)) == size_is_for_fitting(std::ldexp(1, 20) + 1));
}

TEST_CASE("a run is for fitting if both its size and its parameters are, unseen if neither is") {
  const auto run = [](double n, int E) {
    Measurement run;
    run.problem.n = n;
    run.problem.parameters = {{"E", E}, {"t", 256}};
    return run;
  };
  for (const double n : {0x1p20, 0x1p22})
    for (const int E : {17, 16}) {
      CAPTURE(n, E);
      CHECK(is_for_fitting(run(n, E)) == (n == 0x1p20 && E == 17));
      CHECK(is_unseen(run(n, E)) == (n == 0x1p22 && E == 16));
    }
}
