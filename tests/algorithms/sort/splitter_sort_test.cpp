// SPDX-License-Identifier: Apache-2.0
// sort-splitter: its levels and buckets. What it has in common with other sorts is in
// splitter_sorting_test.cpp.
#include "sort_on_cpu.h"

#include <fathom/algorithms/sort/distribution/splitter/sort_splitter.h>

using namespace fathom;
using namespace fathom::tests;

namespace {

/// Small tiles, so that few keys need several levels: buckets have about 300 keys.
struct Shape {
  int ways = 16, samples = 32, threads = 64, elements = 7;

  Index tile() const { return Index(threads) * elements; }
  template <class Element, class LessThan>
  auto solver() const {
    return [shape = *this](Executor& executor, Index n) {
      return SortSplitter<Element, LessThan>(executor, n, shape.ways, shape.samples, shape.threads,
                                             shape.elements);
    };
  }
};

/// The sizes of the buckets that are left to be sorted.
std::vector<Index> bucket_sizes(const std::vector<u32>& keys, const Shape& shape = {}) {
  CountingExecutor executor;
  const DeviceArray<u32> input(executor, std::span<const u32>(keys)), output(executor, keys.size());
  auto solver = shape.solver<u32, Less>()(executor, Index(keys.size()));
  solver.run({input.data(), input.size()}, output.span());
  return solver.bucket_sizes();
}

}  // namespace

TEST_CASE("splitter sort divides n by as few levels as S allows") {
  const auto levels = [](Index n) {
    return RandomSplitters<u32, Less>::levels(n, 256, 7680).levels;
  };  // buckets of 5120
  CHECK(levels(7680).empty());
  REQUIRE(levels(7681).size() == 1);
  CHECK(levels(7681)[0].ways == 2);
  CHECK(levels(256 * 5120).size() == 1);
  CHECK(levels(256 * 5120 + 1).size() == 2);
  const auto two = levels(Index(100) * 100 * 5120);
  REQUIRE(two.size() == 2);
  CHECK(two[0].ways == 100);
  CHECK(two[0].child == 100 * 5120);
  CHECK(two[1].parents == 100);
  CHECK(two[1].buckets == 100 * 100 + 100);  // of each parent one that is not full
  CHECK(two[1].child == 5120);
}

TEST_CASE("splitter sort refuses more buckets than it can number, and samples that it cannot count") {
  CountingExecutor executor;
  for (const auto& [ways, samples] : {std::pair(257, 16), {1, 16}, {256, 48}, {256, 256}})
    CHECK_THROWS_AS((SortSplitter<u32, Less>(executor, 1000, ways, samples, 64, 7)), std::invalid_argument);
}

TEST_CASE("no input makes the buckets of a splitter sort uneven", "[counts]") {
  const std::size_t n = 30000;  // in two levels
  auto inputs = special_inputs(n);
  inputs.push_back(random_keys<u32>(n, ~0u, 9));
  inputs.push_back(random_keys<u32>(n, 7, 10));
  std::vector<u32> one_frequent = random_keys<u32>(n, ~0u, 11);
  for (std::size_t i = 0; i < n; i += 3) one_frequent[i] = 12345;
  inputs.push_back(one_frequent);
  for (const std::vector<u32>& keys : inputs) {
    const std::vector<Index> sizes = bucket_sizes(keys, {.samples = 64});
    CHECK(std::accumulate(sizes.begin(), sizes.end(), Index(0)) == Index(n));
    // A tile has room for half as much again as a bucket should have.
    CHECK(*std::max_element(sizes.begin(), sizes.end()) <= Shape{}.tile());
  }
}

TEST_CASE("splitter sort sorts buckets that are larger than a tile") {
  const Shape unlucky{.samples = 1};  // so few samples make buckets of any size
  const auto keys = random_keys<u32>(20000, ~0u, 12);
  const std::vector<Index> sizes = bucket_sizes(keys, unlucky);
  REQUIRE(*std::max_element(sizes.begin(), sizes.end()) > 2 * unlucky.tile());  // merged in several rounds
  REQUIRE(std::any_of(sizes.begin(), sizes.end(),
                      [&](Index size) { return size > unlucky.tile() && size <= 2 * unlucky.tile(); }));
  check_sort<Less>(keys, unlucky.solver<u32, Less>());
  check_sort_of_records<Less, u32>(keys, unlucky.solver<Record<u32, u32>, Less>());
}
