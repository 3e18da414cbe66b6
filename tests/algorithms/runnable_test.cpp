// SPDX-License-Identifier: Apache-2.0
// Which configurations a bench leaves out, without a GPU.
#include <fathom/algorithms/bench.h>
#include <fathom/algorithms/registry.h>

#include <catch2/catch.hpp>

using namespace fathom;
using Catch::Matchers::Contains;

namespace {

constexpr std::size_t plenty = std::size_t(1) << 40;

Case reduce_tree(double n, int t) {
  const Algorithm& algorithm = fathom::algorithm("reduce-tree");
  Case one{&algorithm, algorithm.problem(n, ElementType::u32)};
  one.problem.parameters.set("t", t);
  return one;
}

/// A device whose multiprocessors hold no block of more than 256 threads.
PlanDevice small_blocks() {
  return {132, 0, 0, [](const Launch& launch) {
            if (launch.shape.threads > 256) throw BlockDoesNotFit("ReduceSegments: no block fits");
            return 1;
          }};
}

struct Notes {
  std::vector<std::string> lines{};
  std::function<void(std::string_view)> add() {
    return [this](std::string_view line) { lines.emplace_back(line); };
  }
};

}  // namespace

TEST_CASE("configurations that cannot run are left out with one line, and the others run") {
  const Algorithm& msd = fathom::algorithm("radix-msd");
  Case too_few{&msd, msd.problem(1 << 28, ElementType::u64)};
  for (const char* smallest : {"t", "E"})
    too_few.problem.parameters.set(smallest, msd.find_parameter(smallest)->values.front());
  const std::vector<Case> cases{too_few, reduce_tree(1e6, 128), reduce_tree(1e6, 1024),
                                reduce_tree(1e9, 128)};
  Notes notes;
  const std::vector<Case> runs = runnable(cases, small_blocks(), std::size_t(1) << 31, notes.add());
  REQUIRE(runs.size() == 1);
  CHECK(runs[0].problem.parameters == cases[1].problem.parameters);
  CHECK(runs[0].problem.n == 1e6);
  REQUIRE(notes.lines.size() == 1);
  CHECK_THAT(notes.lines[0],
             Contains("3 of 4 configurations") && Contains("radix-msd") && Contains("too few"));
}

TEST_CASE("nothing is said where all run, and the reason where none does") {
  Notes notes;
  CHECK(runnable({reduce_tree(1e6, 128)}, small_blocks(), plenty, notes.add()).size() == 1);
  CHECK(runnable({}, small_blocks(), plenty, notes.add()).empty());
  CHECK_THROWS_AS(runnable({reduce_tree(1e6, 1024)}, small_blocks(), plenty, notes.add()), BlockDoesNotFit);
  CHECK_THROWS_WITH(runnable({reduce_tree(1e9, 128)}, small_blocks(), 1 << 30, notes.add()),
                    Contains("reduce-tree") && Contains("1073741824 are free"));
  CHECK(notes.lines.empty());
}
