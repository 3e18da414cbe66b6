#include <fathom/calibration/fitting_split.h>

#include <catch2/catch.hpp>
#include <cmath>

using namespace fathom;

namespace {

struct PinnedSet {
  Parameters parameters;
  bool for_fitting;
};
struct PinnedSize {
  double n;
  bool for_fitting;
};

}  // namespace

// If one of these changed sides, runs that were fitted would count as unseen.
TEST_CASE("sizes and parameters stay on their original side") {
  const std::vector<PinnedSet> sets{{{}, false},
                                    {{{"E", 17}, {"t", 256}}, true},
                                    {{{"E", 15}, {"t", 128}}, true},
                                    {{{"E", 3}, {"t", 64}}, true},
                                    {{{"E", 47}, {"t", 512}}, false},
                                    {{{"E", 31}, {"t", 128}}, false},
                                    {{{"E", 16}, {"t", 256}}, false},
                                    {{{"E", 104}, {"t", 128}}, false},
                                    {{{"alpha", 8}, {"t", 256}}, true},
                                    {{{"alpha", 1}, {"t", 128}}, false},
                                    {{{"alpha", 32}, {"t", 512}}, false},
                                    {{{"t", 256}}, false},
                                    {{{"t", 128}}, true},
                                    {{{"t", 512}}, true},
                                    {{{"I", 4}, {"t", 256}}, false},
                                    {{{"I", 1}, {"t", 128}}, false},
                                    {{{"I", 2}, {"t", 512}}, true},
                                    {{{"k", 1048576}, {"t", 256}}, false},
                                    {{{"k", 65536}, {"t", 128}}, true}};
  for (const PinnedSet& set : sets) {
    std::string text;
    for (const auto& [name, value] : set.parameters) text += name + "=" + std::to_string(value) + " ";
    CAPTURE(text);
    CHECK(parameters_are_for_fitting(set.parameters) == set.for_fitting);
  }
  for (const PinnedSize& size : {PinnedSize{1000, true},
                                 {1024, true},
                                 {3000, false},
                                 {4096, true},
                                 {3e4, true},
                                 {65536, true},
                                 {1e5, true},
                                 {3e5, false},
                                 {0x1p20, true},
                                 {5e6, true},
                                 {0x1p22, false},
                                 {0x1p24, true},
                                 {4e7, true},
                                 {0x1p26, false},
                                 {1e8, false},
                                 {1.5e8, true},
                                 {0x1p28, false},
                                 {6e8, true}}) {
    CAPTURE(size.n);
    CHECK(size_is_for_fitting(size.n) == size.for_fitting);
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
  CHECK(is_for_fitting(run(0x1p20, 17)));
  CHECK_FALSE(is_unseen(run(0x1p20, 17)));
  CHECK_FALSE(is_for_fitting(run(0x1p22, 17)));
  CHECK_FALSE(is_unseen(run(0x1p22, 17)));
  CHECK_FALSE(is_for_fitting(run(0x1p20, 16)));
  CHECK_FALSE(is_unseen(run(0x1p20, 16)));
  CHECK_FALSE(is_for_fitting(run(0x1p22, 16)));
  CHECK(is_unseen(run(0x1p22, 16)));
}
