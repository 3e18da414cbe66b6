// SPDX-License-Identifier: Apache-2.0
// The baseline for several GPUs, with the standard library's sort and merge in the place of CUB's.
#include "../filled.h"
#include "spread_arrays.h"

#include <fathom/algorithms/baselines/sort_exchange_merge.h>
#include <fathom/device/group/simulated_group.h>

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace fathom;
using namespace fathom::tests;

namespace {

template <class Element>
class OfHost {
  using Key = KeyOf<Element>;
  using Pairs = std::vector<std::pair<Key, u64>>;

 public:
  OfHost(Executor& executor, Index) : executor_(&executor) {}

  void sort(ConstListOf<Element> input, ListOf<Element> output) { write(sorted(read(input)), output); }
  void merge(ConstListOf<Element> a, ConstListOf<Element> b, ListOf<Element> output) {
    const Pairs first = read(a), second = read(b);
    Pairs merged;
    std::ranges::merge(first, second, std::back_inserter(merged), {}, key_of, key_of);
    write(merged, output);
  }

 private:
  static Key key_of(const std::pair<Key, u64>& pair) { return pair.first; }
  static Pairs sorted(Pairs pairs) {
    std::ranges::stable_sort(pairs, {}, key_of);
    return pairs;
  }
  Pairs read(ConstListOf<Element> list) const {
    Pairs pairs;
    for (const Key key : download(*executor_, keys_of(list))) pairs.emplace_back(key, 0);
    if constexpr (has_values<Element>) {
      const auto values = download(*executor_, list.values);
      for (std::size_t i = 0; i < values.size(); ++i) pairs[i].second = values[i];
    }
    return pairs;
  }
  void write(const Pairs& pairs, ListOf<Element> list) const {
    REQUIRE(pairs.size() == keys_of(list).count);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      executor_->upload(keys_of(list).data + i, &pairs[i].first, sizeof(Key));
      if constexpr (has_values<Element>) {
        const auto value = fathom::ValueOf<Element>(pairs[i].second);
        executor_->upload(list.values.data + i, &value, sizeof(value));
      }
    }
  }

  Executor* executor_;
};

template <class Element>
GroupAlgorithm with_host_steps() {
  return {{}, [](Communicator& own, const Problem& problem) -> std::unique_ptr<GroupCall> {
            return std::make_unique<SortExchangeMerge<Element, OfHost<Element>>>(
                own, Index(problem.n), OfHost<Element>(own.executor(), Index(problem.n)));
          }};
}

}  // namespace

TEST_CASE("ranks sort, exchange once and merge two by two, however many there are") {
  for (const Shares& shares : {Shares{2500}, equal_shares(2500, 2), Shares{0, 1000, 1500}, Shares{1, 0, 0},
                               Shares{0, 0}, Shares{300, 700, 800, 200, 500}})
    for (const Input input : {Input::random, Input::few_unique, Input::equal}) {
      INFO(shares.size() << " ranks, " << name(input));
      const std::size_t n = std::accumulate(shares.begin(), shares.end(), std::size_t(0));
      const std::vector<u64> keys = n > 0 ? fathom::tests::keys_of<u64>(input, n) : std::vector<u64>{};
      std::vector<u64> expected = keys;
      std::ranges::sort(expected);
      SimulatedGroup group(int(shares.size()));
      const auto result = result_of<u64>(group, with_host_steps<u64>(), Problem{}, shares, keys);
      CHECK(result.keys == expected);
      const double part = double(n) / double(shares.size());
      if (n > 1000)
        for (const std::size_t share : result.shares) CHECK(std::abs(double(share) - part) <= 0.05 * part);
    }
}

TEST_CASE("records with equal keys keep their order") {
  const Shares shares{300, 900, 800};
  const std::vector<u32> keys = fathom::tests::keys_of<u32>(Input::few_unique, 2000);
  std::vector<u32> places(keys.size());
  std::iota(places.begin(), places.end(), 0);
  std::vector<u32> expected = places;
  std::ranges::stable_sort(expected, {}, [&](u32 place) { return keys[place]; });
  SimulatedGroup group(3);
  const auto result =
      result_of<u32, u32>(group, with_host_steps<Record<u32, u32>>(), Problem{}, shares, keys, places);
  CHECK(result.values == expected);
}

TEST_CASE("CUB on several GPUs needs GPUs") {
  const GroupAlgorithm& cub = group_algorithm("cub-sort-gpus");
  CHECK(cub.baseline);
  CHECK_FALSE(cub.steps);
  if (!cub.make_call) return;  // a build without CUDA's toolkit
  SimulatedGroup group(2);
  CHECK_THROWS_WITH(
      result_of<u64>(group, cub, cub.problem(1, ElementType::u64), Shares{10, 10}, std::vector<u64>(20)),
      "CUB runs on a GPU only");
}
