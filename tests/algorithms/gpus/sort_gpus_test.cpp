// SPDX-License-Identifier: Apache-2.0
// Sorts over simulated GPUs, beside the standard library.
#include "../../support/sanitized.h"
#include "../by_bits.h"
#include "../filled.h"
#include "spread_arrays.h"

#include <fathom/algorithms/block/digits.h>
#include <fathom/algorithms/gpus/slices.h>
#include <fathom/algorithms/gpus/sort_gpus.h>
#include <fathom/device/group/simulated_group.h>

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstring>

using namespace fathom;
using namespace fathom::tests;
using Catch::Matchers::Contains;

namespace {

const GroupAlgorithm& sort_gpus() {
  return group_algorithm("sort-gpus");
}

/// How a sort goes about it.
struct Way {
  int scheme, pieces, slices = 0;
};
Way any_way() {
  if constexpr (sanitized) return GENERATE(Way{1, 3, 3}, Way{2, 3});
  return GENERATE(Way{1, 1}, Way{1, 3, 2}, Way{1, 2, 3}, Way{2, 3});
}
std::ostream& operator<<(std::ostream& out, const Way& way) {
  return out << "scheme " << way.scheme << ", pieces " << way.pieces << ", slices " << way.slices;
}

template <class Key>
Problem problem_of(Way way, bool equal_parts = false) {
  return {.kind = Kind::sort,
          .n = 1,
          .type = element_type_of<Key>,
          .parameters = {{"scheme", way.scheme},
                         {"pieces", way.pieces},
                         {"slices", way.slices},
                         {"equal_parts", int(equal_parts)}}};
}

/// By how much the part that differs most from an equal one does.
double imbalance(const Shares& shares) {
  const double equal =
      double(std::accumulate(shares.begin(), shares.end(), std::size_t(0))) / double(shares.size());
  double most = 0;
  for (const std::size_t share : shares) most = std::max(most, std::abs(double(share) / equal - 1));
  return most;
}

template <class Key>
void sorts(const Shares& shares, const Input& input, Way way, bool equal_parts = false) {
  const std::size_t n = std::accumulate(shares.begin(), shares.end(), std::size_t(0));
  INFO(name(element_type_of<Key>) << " " << name(input) << ", " << way << ", " << shares.size()
                                  << " ranks, n = " << n);
  SimulatedGroup group(int(shares.size()));
  const std::vector<Key> keys = keys_of<Key>(input, n);
  const auto result = result_of<Key>(group, sort_gpus(), problem_of<Key>(way, equal_parts), shares, keys);
  CHECK(same_bits(result.keys, in_order(keys)));
  if (equal_parts)
    CHECK(result.shares == equal_shares(n, shares.size()));
  else if (n > 1000)
    CHECK(imbalance(result.shares) <= 0.05);
}

}  // namespace

TEST_CASE(
    "every input is sorted into parts within 5 % of equal ones, by both schemes, on any number of GPUs") {
  const Way way = any_way();
  for (const Input input : two_if_sanitized(std::vector<Input>(all_inputs.begin(), all_inputs.end())))
    for (const std::size_t ranks : two_if_sanitized(std::vector<std::size_t>{1, 2, 3, 5}))
      sorts<u32>(equal_shares(6000, ranks), input, way);
}

TEST_CASE(
    "input that is spread unevenly is sorted, with ranks that have none, and into equal parts if asked") {
  const Way way = any_way();
  for (const Input input :
       some_if_sanitized(std::vector<Input>{Input::few_unique, Input::sorted, Input::random})) {
    sorts<u64>({2000, 0, 500}, input, way);
    sorts<u64>({0, 0, 1500}, input, way);
    sorts<u64>({10, 1000, 150, 0, 350}, input, way, true);
    sorts<u64>({0, 1500}, input, way, true);
  }
}

TEST_CASE("fewer elements than GPUs are sorted, and none") {
  const Way way = any_way();
  const bool equal_parts = GENERATE(false, true);
  for (const Shares& shares : some_if_sanitized(
           std::vector<Shares>{{0, 0, 0}, {0}, {1}, {0, 1, 0}, {1, 1, 0, 0, 1}, {3, 0, 0, 0, 0}, {0, 2, 2}}))
    sorts<u32>(shares, Input::reverse, way, equal_parts);
}

TEST_CASE("keys of every type are in the order of their bits") {
  const Way way = any_way();
  const Shares shares{700, 900, 500};
  for (const Input input : {Input::random, Input::zipf}) {
    if constexpr (!sanitized) {  // other types of the same sizes
      sorts<i32>(shares, input, way);
      sorts<i64>(shares, input, way);
    }
    sorts<f32>(shares, input, way);
    sorts<f64>(shares, input, way);
  }
  // -0 comes before +0, on whichever rank they are.
  std::vector<f32> zeros;
  for (int i = 0; i < 300; ++i) zeros.push_back(i % 3 == 0 ? -0.0f : 0.0f);
  SimulatedGroup group(3);
  CHECK(same_bits(result_of<f32>(group, sort_gpus(), problem_of<f32>(way), {100, 100, 100}, zeros).keys,
                  in_order(zeros)));
}

TEST_CASE("keys with all bits set are sorted, also beside ranks with few elements or none") {
  const Way way = any_way();
  std::vector<u64> keys(3000, ~u64(0));
  for (std::size_t i = 0; i < 100; ++i) keys[7 * i] = i;
  SimulatedGroup group(3);
  const auto result = result_of<u64>(group, sort_gpus(), problem_of<u64>(way), {5, 0, 2995}, keys);
  CHECK(result.keys == in_order(keys));
  CHECK(imbalance(result.shares) <= 0.05);
}

TEST_CASE("many keys are split within 5 %") {
  // More than are sampled. Of few keys, sorted ones make slices of a few each, all of which lie in one part
  // of them.
  const Way way = any_way();
  const std::size_t n = sanitized ? 30000 : 60000;
  const std::vector<Input> all{Input::random, Input::sorted, Input::zipf, Input::few_unique, Input::equal};
  for (const Input input : sanitized ? std::vector<Input>{Input::sorted} : all)
    sorts<u32>(equal_shares(n, 3), input, way);
  std::vector<u32> halves(n);
  for (std::size_t i = 0; i < n; ++i) halves[i] = i % (n / 3) < 2 * n / 15 ? 1 : 2;
  SimulatedGroup group(3);
  const auto result = result_of<u32>(group, sort_gpus(), problem_of<u32>(way), equal_shares(n, 3), halves);
  CHECK(result.keys == in_order(halves));
  CHECK(imbalance(result.shares) <= 0.05);
}

namespace {

template <class Key, class Value>
void sorts_pairs(Way way, bool stable, const Input& input) {
  INFO(way << (stable ? ", stable, " : ", ") << name(input));
  const Shares shares{800, 1300, 0, 900};
  const std::vector<Key> keys = keys_of<Key>(input, 3000);
  std::vector<Value> places(keys.size());
  std::iota(places.begin(), places.end(), Value(0));
  std::vector<Value> expected = places;
  std::stable_sort(expected.begin(), expected.end(),
                   [&](Value a, Value b) { return in_order_of_bits(keys[a], keys[b]); });

  Problem problem = problem_of<Key>(way);
  problem.value_type = element_type_of<Value>;
  problem.stable = stable;
  SimulatedGroup group(4);
  auto result = result_of<Key, Value>(group, sort_gpus(), problem, shares, keys, places);
  CHECK(same_bits(result.keys, in_order(keys)));
  CHECK(imbalance(result.shares) <= 0.05);
  if (stable) {
    CHECK(result.values == expected);
    return;
  }
  bool together = result.values.size() == keys.size();
  for (std::size_t i = 0; together && i < keys.size(); ++i)
    together = ordered_bits(keys[result.values[i]]) == ordered_bits(result.keys[i]);
  CHECK(together);
  std::ranges::sort(result.values);
  CHECK(result.values == places);
}

}  // namespace

TEST_CASE("values stay with their keys, and equal keys in order where that is asked for") {
  for (const Input input :
       some_if_sanitized(std::vector<Input>{Input::few_unique, Input::random, Input::equal})) {
    for (const Way way : {Way{1, 3}, Way{2, 3}}) {
      if constexpr (!sanitized) {  // keys and values of the same sizes, but other combinations
        sorts_pairs<u32, u32>(way, false, input);
        sorts_pairs<u64, u64>(way, false, input);
      }
      sorts_pairs<u64, u32>(way, false, input);
    }
    if constexpr (!sanitized) {
      sorts_pairs<u32, u32>({1, 1}, true, input);
      sorts_pairs<u64, u32>({1, 3, 3}, true, input);
      sorts_pairs<u32, u32>({2, 1}, true, input);
      sorts_pairs<u64, u32>({2, 3}, true, input);
    }
    sorts_pairs<u64, u64>({1, 4, 2}, true, input);
  }
}

TEST_CASE("received runs are merged in one pass, which reads and writes each element once", "[counts]") {
  constexpr std::size_t n = 60000;
  SimulatedGroup group(4);
  result_of<u32>(group, sort_gpus(), problem_of<u32>({1, 3}), equal_shares(n, 4),
                 keys_of<u32>(Input::random, n));
  const auto& counts = group.executor(0).counts();
  const auto merge = std::ranges::find(counts, "MergeListedRuns", &KernelCounts::kernel);
  REQUIRE(merge != counts.end());
  const double once = 2.0 * n / 4 * sizeof(u32);  // in two runs
  CHECK(double(merge->read_bytes) == Approx(once).epsilon(0.06));
  CHECK(double(merge->written_bytes) == Approx(once).epsilon(0.06));
}

TEST_CASE("every element crosses a link at most once, and random ones as rarely as can be", "[counts]") {
  constexpr std::size_t n = 6000, ranks = 3;
  SimulatedGroup group(ranks);
  const auto moved = [&](const Input& input) {
    group.reset_exchanges();
    result_of<u32>(group, sort_gpus(), problem_of<u32>({1, 3}), equal_shares(n, ranks),
                   keys_of<u32>(input, n));
    double bytes = 0;
    for (const CountedExchange& each : group.exchanges())
      if (each.kind() == ExchangeKind::all_to_all)
        for (int rank = 0; rank < int(ranks); ++rank)
          bytes += double(each.bytes_leaving(rank)) / 2;  // two runs
    return bytes / (n * sizeof(u32));
  };
  CHECK(moved(Input::random) == Approx(2.0 / 3).epsilon(0.05));
  CHECK(moved(Input::sorted) < 0.05);
  CHECK(moved(Input::equal) < 0.05);
  CHECK(moved(Input::reverse) == Approx(2.0 / 3).epsilon(0.05));
}

TEST_CASE("slices are equal, but begin at whole lines") {
  CHECK(slices_of(1300, 1) == std::vector<Index>{0, 1300});
  CHECK(slices_of(1300, 3) == std::vector<Index>{0, 448, 896, 1300});
  CHECK(slices_of(0, 3) == std::vector<Index>{0, 0, 0, 0});
  CHECK(slices_of(1, 3) == std::vector<Index>{0, 0, 0, 1});
}

TEST_CASE("a list that grows keeps what is asked for") {
  CountingExecutor executor;
  GrowingList<Record<u64, u32>> growing(executor);
  const auto at_first = growing.list(3);
  const std::vector<u64> keys{5, 6, 7};
  const std::vector<u32> values{1, 2, 3};
  executor.upload(at_first.keys.data, keys.data(), 24);
  executor.upload(at_first.values.data, values.data(), 12);
  CHECK(growing.grown(2, 1).keys.data == at_first.keys.data);  // it has room
  const auto larger = growing.grown(1000, 2);
  CHECK(larger.keys.count == 1000);
  CHECK(download(executor, read_only(elements_of(larger.keys, 0, 2))) == std::vector<u64>{5, 6});
  CHECK(download(executor, read_only(elements_of(larger.values, 0, 2))) == std::vector<u32>{1, 2});
}

TEST_CASE("64-bit keys are sorted in slices that the sort by top bits takes, as many as can be merged") {
  Problem problem = problem_of<u64>({1, 4});
  CHECK(division_of(problem, 2, most_of_slice) == Division{1, 4});
  CHECK(division_of(problem, 2, most_of_slice + 1) == Division{2, 4});
  CHECK(division_of(problem, 2, 100 * most_of_slice) == Division{8, 4});
  CHECK(division_of(problem, 17, 100) == Division{1, 1});
  CHECK(division_of(problem_of<u32>({1, 4, 3}), 2, 100) == Division{3, 4});
  CHECK(division_of(problem_of<u32>({1, 4}), 4, Index(1) << 26) == Division{2, 4});
  CHECK(division_of(problem_of<u32>({1, 4}), 4, (Index(1) << 26) - 1) == Division{1, 4});
  CHECK(division_of(problem_of<u32>({1, 4, 1}), 4, Index(1) << 26) == Division{1, 4});
  CHECK(division_of(problem_of<u64>({1, 4, 2}), 2, 3 * most_of_slice) == Division{3, 4});
  CHECK(division_of(problem_of<u32>({1, 4, 4}), 8, 100) == Division{2, 4});
  CHECK(division_of(problem_of<u64>({1, 0}), 2, 1000) == Division{1, 1});
  CHECK(division_of(problem_of<u64>({1, 0}), 2, 40'000'000) == Division{1, 2});
  CHECK(division_of(problem_of<u64>({1, 0}), 2, most_of_slice) == Division{1, 4});
  CHECK(division_of(problem_of<u32>({1, 4}), 2, 100 * most_of_slice) == Division{1, 4});
}

TEST_CASE("the list of algorithms for several GPUs names what is near to an unknown name") {
  CHECK(group_algorithms().size() == 4);
  CHECK_THROWS_WITH(group_algorithm("sort-gpu"), Contains("did you mean 'sort-gpus'"));
}
