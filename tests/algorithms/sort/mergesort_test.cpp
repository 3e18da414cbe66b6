#include "sort_on_cpu.h"

#include <fathom/algorithms/sort/merge/kway/sort_kway.h>
#include <fathom/algorithms/sort/merge/pairwise/sort_pairwise.h>

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

using namespace fathom;
using namespace fathom::tests;

namespace {

/// A user-defined comparator: even numbers before odd ones, each in ascending order.
struct EvenFirst {
  template <class T>
  bool operator()(const T& a, const T& b) const {
    return a % 2 != b % 2 ? a % 2 < b % 2 : a < b;
  }
};

template <class Key, class LessThan>
std::vector<Key> sort_pairwise_on_cpu(const std::vector<Key>& keys, int threads, int elements) {
  return sort_on_cpu(keys, [&](Executor& executor, Index n) {
    return SortPairwise<Key, LessThan>(executor, n, threads, elements);
  });
}

template <class Key, class LessThan>
void check_against_standard_library(const std::vector<Key>& keys, int threads, int elements) {
  std::vector<Key> expected = keys;
  std::sort(expected.begin(), expected.end(), LessThan{});
  INFO("n = " << keys.size() << ", t = " << threads << ", E = " << elements);
  CHECK((sort_pairwise_on_cpu<Key, LessThan>(keys, threads, elements) == expected));
}

}  // namespace

TEST_CASE("the register networks sort every 0-1 sequence, hence every sequence (the 0-1 principle)") {
  for (int count = 1; count <= 16; ++count) {
    for (u32 bits = 0; bits < (1u << count); ++bits) {
      Registers<u32, int> keys(count);
      for (int i = 0; i < count; ++i) keys[i] = bits >> i & 1;
      odd_even_merge_sort(keys, count, Less{});
      for (int i = 1; i < count; ++i) REQUIRE(keys[i - 1] <= keys[i]);
    }
  }
}

TEST_CASE("the register network sorts every number of elements that a thread may have") {
  for (int count = 17; count <= 64; ++count) {
    for (unsigned seed = 0; seed < 50; ++seed) {
      auto expected = random_keys<u32>(std::size_t(count), seed % 2 ? 8 : 1000, seed);
      Registers<u32, int> keys(count);
      for (int i = 0; i < count; ++i) keys[i] = expected[std::size_t(i)];
      odd_even_merge_sort(keys, count, Less{});
      std::sort(expected.begin(), expected.end());
      for (int i = 0; i < count; ++i) REQUIRE(keys[i] == expected[std::size_t(i)]);
    }
  }
}

TEST_CASE("bitonic_merge sorts sequences that first fall and then rise, wherever they turn") {
  for (int count = 1; count <= 64; ++count) {
    for (int falling = 0; falling <= count; ++falling) {
      auto values = random_keys<u32>(std::size_t(count), 50, unsigned(count * 100 + falling));
      std::sort(values.begin(), values.begin() + falling, std::greater<>());
      std::sort(values.begin() + falling, values.end());
      Registers<u32, int> keys(count);
      for (int i = 0; i < count; ++i) keys[i] = values[std::size_t(i)];
      bitonic_merge(keys, count, Less{});
      std::sort(values.begin(), values.end());
      for (int i = 0; i < count; ++i) REQUIRE(keys[i] == values[std::size_t(i)]);
    }
  }
}

TEST_CASE("bitonic_merge sorts every rotation of a bitonic sequence of a power of two") {
  for (int count : {2, 4, 8, 16})
    for (u32 ones = 0; ones <= u32(count); ++ones)  // a cyclic run of ones: the 0-1 principle
      for (int first = 0; first < count; ++first) {
        Registers<u32, int> keys(count);
        for (int i = 0; i < count; ++i) keys[i] = u32((i - first + count) % count) < ones;
        bitonic_merge(keys, count, Less{});
        for (int i = 1; i < count; ++i) REQUIRE(keys[i - 1] <= keys[i]);
      }
}

TEST_CASE("merge path agrees with the standard library's merge, ties from the first list") {
  std::mt19937 generator(7);
  for (int trial = 0; trial < 200; ++trial) {
    auto a = random_keys<u32>(generator() % 40, 20, generator());
    auto b = random_keys<u32>(generator() % 40, 20, generator());
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    const Span<const u32> list_a{a.data(), a.size()}, list_b{b.data(), b.size()};
    // Merge pairs (key, list) to see which list each element of the stable merge comes from.
    std::vector<std::pair<u32, int>> tagged_a, tagged_b, merged;
    for (u32 key : a) tagged_a.emplace_back(key, 0);
    for (u32 key : b) tagged_b.emplace_back(key, 1);
    std::merge(tagged_a.begin(), tagged_a.end(), tagged_b.begin(), tagged_b.end(), std::back_inserter(merged),
               [](const auto& x, const auto& y) { return x.first < y.first; });
    int from_a = 0;
    for (int diagonal = 0; diagonal <= int(merged.size()); ++diagonal) {
      REQUIRE(merge_path(list_a, int(a.size()), list_b, int(b.size()), diagonal, Less{}) == from_a);
      if (diagonal < int(merged.size())) from_a += merged[std::size_t(diagonal)].second == 0;
    }
  }
}

TEST_CASE("pairwise mergesort sorts inputs of sizes around warp, block and tile edges") {
  const int threads = 64, elements = 5, tile = threads * elements;
  for (int n : {1, 2, 31, 32, 33, 63, 64, 65, tile - 1, tile, tile + 1, 2 * tile - 1, 2 * tile, 2 * tile + 1,
                3 * tile, 4 * tile + 7, 7 * tile, 8 * tile, 9 * tile - 13})
    check_against_standard_library<u32, Less>(random_keys<u32>(std::size_t(n), ~0u, unsigned(n)), threads,
                                              elements);
}

TEST_CASE("pairwise mergesort sorts with any tile shape") {
  for (int threads : {64, 128})
    for (int elements : {3, 4, 8, 15, 16, 17, 32, 47})
      check_against_standard_library<u32, Less>(
          random_keys<u32>(std::size_t(threads * elements * 3 + 11), 1000, unsigned(elements)), threads,
          elements);
}

TEST_CASE("pairwise mergesort sorts inputs that are sorted, reversed, equal or nearly all equal") {
  std::vector<u32> keys(2000);
  std::iota(keys.begin(), keys.end(), 0u);
  check_against_standard_library<u32, Less>(keys, 64, 7);
  std::reverse(keys.begin(), keys.end());
  check_against_standard_library<u32, Less>(keys, 64, 7);
  check_against_standard_library<u32, Less>(std::vector<u32>(2000, ~0u), 64, 7);
  check_against_standard_library<u32, Less>(random_keys<u32>(2000, 2, 1), 64, 7);
}

TEST_CASE("pairwise mergesort sorts any key by any comparator") {
  check_against_standard_library<u64, Less>(random_keys<u64>(1500, ~u64(0), 3), 64, 6);
  check_against_standard_library<u32, Greater>(random_keys<u32>(1500, 5000, 4), 64, 9);
  check_against_standard_library<u32, EvenFirst>(random_keys<u32>(1500, 5000, 5), 64, 5);
}

namespace {

template <template <class, class, class> class Solver, class Key, class Value, class LessThan,
          class... Parameters>
void check_records_of(const std::vector<Key>& keys, Parameters... parameters) {
  INFO("n = " << keys.size());
  const auto sorted = [&](auto stability) {
    return sort_records_on_cpu<Value>(keys, [&](Executor& executor, Index n) {
      return Solver<Record<Key, Value>, LessThan, decltype(stability)>(executor, n, parameters...);
    });
  };
  std::vector<std::pair<Key, Value>> expected;
  for (std::size_t i = 0; i < keys.size(); ++i) expected.emplace_back(keys[i], Value(i));
  std::ranges::stable_sort(expected, LessThan{}, &std::pair<Key, Value>::first);
  CHECK((sorted(Stable{}) == expected));

  auto unstable = sorted(Unstable{});
  CHECK(std::ranges::is_sorted(unstable, LessThan{}, &std::pair<Key, Value>::first));
  std::ranges::sort(expected);
  std::ranges::sort(unstable);
  CHECK((unstable == expected));
}

template <class Key, class Value, class LessThan>
void check_records(const std::vector<Key>& keys, int threads, int elements) {
  check_records_of<SortPairwise, Key, Value, LessThan>(keys, threads, elements);
  check_records_of<SortKway, Key, Value, LessThan>(keys, 4, threads, elements);
}

}  // namespace

TEST_CASE("pairwise and K-way mergesort keep values with their keys, and equal keys in order if asked to") {
  const int threads = 64, elements = 5, tile = threads * elements;
  for (const u32 range : {2u, 100u, ~0u})
    for (int n : {1, 33, tile - 1, tile, tile + 1, 4 * tile + 7})
      check_records<u32, u32, Less>(random_keys<u32>(std::size_t(n), range, unsigned(n)), threads, elements);
  check_records<u64, u32, Less>(random_keys<u64>(1500, 7, 3), 64, 6);
  check_records<u64, u64, Greater>(random_keys<u64>(1500, 40, 4), 128, 4);
  check_records<i32, u32, Less>(random_keys<i32>(1500, 50, 6), 64, 8);
  check_records<u32, f64, Less>(random_keys<u32>(1500, 50, 7), 64, 5);
  check_records<u32, u64, EvenFirst>(random_keys<u32>(1500, 50, 5), 64, 7);
  check_records<u32, u32, Less>(std::vector<u32>(2000, ~0u), 64, 17);
}

TEST_CASE("pairwise mergesort sorts keys that compare equal but differ") {
  std::mt19937 generator(5);
  std::vector<Point> points(1000);
  for (Point& point : points) point = {int(generator() % 200) - 100, int(generator() % 200) - 100};
  const auto sorted = sort_pairwise_on_cpu<Point, Less>(points, 64, 5);
  CHECK(std::is_sorted(sorted.begin(), sorted.end()));
  CHECK(std::is_permutation(sorted.begin(), sorted.end(), points.begin()));
}

// ---- sort-conflict-free ----

TEST_CASE("conflict-free mergesort sorts inputs of sizes around warp, block and tile edges") {
  const auto check = [](const auto& keys, int threads, int elements) {
    using Key = typename std::decay_t<decltype(keys)>::value_type;
    INFO("n = " << keys.size() << ", t = " << threads << ", E = " << elements);
    auto expected = keys;
    std::sort(expected.begin(), expected.end());
    CHECK((sort_on_cpu(keys, [&](Executor& executor, Index n) {
             return SortConflictFree<Key, Less>(executor, n, threads, elements);
           }) == expected));
  };
  const int tile = 64 * 8;
  for (int n : {1, 2, 31, 33, 64, tile - 1, tile, tile + 1, 2 * tile, 3 * tile + 7, 8 * tile, 9 * tile - 13})
    check(random_keys<u32>(std::size_t(n), n % 2 ? 50 : ~0u, unsigned(n)), 64, 8);
  for (int elements : {16, 32}) {
    check(random_keys<u32>(std::size_t(128 * elements * 3 + 11), ~0u, 1), 128, elements);
    check(random_keys<u64>(std::size_t(64 * elements * 2 + 11), ~u64(0), 2), 64, elements);
  }
  check(std::vector<u32>(3000, ~0u), 64, 16);
}

// ---- sort-kway ----

namespace {

template <class Key, class LessThan>
void check_kway(const std::vector<Key>& keys, int ways, int threads, int elements) {
  INFO("n = " << keys.size() << ", K = " << ways << ", t = " << threads << ", E = " << elements);
  const std::vector<Key> sorted = sort_on_cpu(keys, [&](Executor& executor, Index n) {
    return SortKway<Key, LessThan>(executor, n, ways, threads, elements);
  });
  std::vector<Key> expected = keys;
  std::sort(expected.begin(), expected.end(), LessThan{});
  CHECK((sorted == expected));
}

}  // namespace

TEST_CASE("multiway partition splits K sorted runs where the merge of all of them is cut") {
  std::mt19937 generator(11);
  for (int trial = 0; trial < 60; ++trial) {
    const int ways = 1 << (1 + generator() % 4);
    const Index run = 1 + Index(generator() % 60);
    const int tile = 1 + int(generator() % 40);
    const Index n = 1 + Index(generator() % u32(2 * run * ways));
    auto keys = random_keys<u32>(std::size_t(n), trial % 3 == 0 ? 4 : trial % 3 == 1 ? 50 : ~0u, generator());
    for (Index first = 0; first < n; first += run)
      std::sort(keys.begin() + first, keys.begin() + std::min(first + run, n));
    CountingExecutor executor;
    const Index tiles = tiles_of_pass(n, run, ways, tile);
    const DeviceArray<u32> input(executor, std::span<const u32>(keys));
    const DeviceArray<Index> splits(executor, std::size_t(tiles * ways));
    using Partition = MultiwayPartition<u32, Less>;
    executor.launch(*executor.prepare<Partition>({64}), (tiles * ways + 63) / 64,
                    Partition{{input.data(), input.size()}, splits.span(), n, run, tile, ways});
    const std::vector<Index> found = splits.download();
    Index at = 0;  // tile
    for (Index group = 0; group < n; group += run * ways) {
      std::vector<std::pair<u32, int>> merged;  // stable, with the run of each element
      for (Index i = group; i < std::min(group + run * ways, n); ++i)
        merged.emplace_back(keys[std::size_t(i)], int((i - group) / run));
      std::stable_sort(merged.begin(), merged.end());
      for (Index begin = 0; begin < Index(merged.size()); begin += tile, ++at) {
        std::vector<Index> expected(std::size_t(ways), 0);
        for (Index i = 0; i < begin; ++i) ++expected[std::size_t(merged[std::size_t(i)].second)];
        const std::vector<Index> of_tile(found.begin() + at * ways, found.begin() + (at + 1) * ways);
        INFO("K = " << ways << ", run " << run << ", tile " << tile << ", n = " << n << ", tile " << at);
        REQUIRE(of_tile == expected);
      }
    }
    REQUIRE(at == tiles);
  }
}

TEST_CASE("K-way mergesort sorts inputs of sizes around warp, block, tile and group edges") {
  const int threads = 64, elements = 8;
  for (int ways : {2, 4, 8, 16}) {
    const int tile = threads * elements;
    for (int n : {1, 2, 31, 33, tile - 1, tile, tile + 1, 2 * tile, 3 * tile - 7, ways * tile,
                  ways * tile + 1, ways * tile + tile + 3, 2 * ways * tile - 5})
      check_kway<u32, Less>(random_keys<u32>(std::size_t(n), ~0u, unsigned(n)), ways, threads, elements);
  }
}

TEST_CASE("K-way mergesort merges K or K/2 runs per pass, in as few passes as that allows") {
  const PlanDevice device{132, 228 * 1024, 1024, [](const Launch&) { return 1; }};
  for (int ways : {2, 4, 8, 16})
    for (int levels = 1; levels <= 20; ++levels) {
      const Index n = Index(64 * 8) << levels;
      const Plan plan = SortKway<u32, Less>::plan(n, ways, 64, 8, device);
      int passes = 0;
      Index merged = 1;  // runs
      for (const Launch& launch : plan) {
        if (launch.kernel->name.find("MergeRuns") == std::string::npos) continue;
        CHECK((launch.constants[0] == ways || launch.constants[0] == ways / 2));
        for (int i = 0; i < int(launch.repeats); ++i) merged *= launch.constants[0];
        passes += int(launch.repeats);
      }
      INFO("K = " << ways << ", levels " << levels);
      CHECK(merged >= Index(1) << levels);
      CHECK(passes == int(std::ceil(levels / std::log2(ways))));
    }
}

TEST_CASE("K-way mergesort sorts with any tile shape") {
  for (int elements : {8, 16, 32})
    for (int threads : {128, 256})
      check_kway<u32, Less>(
          random_keys<u32>(std::size_t(threads * elements * 3 + 11), 1000, unsigned(elements)), 4, threads,
          elements);
}

TEST_CASE("K-way mergesort sorts inputs that are sorted, reversed, equal or nearly all equal") {
  std::vector<u32> keys(9000);
  std::iota(keys.begin(), keys.end(), 0u);
  check_kway<u32, Less>(keys, 8, 64, 8);
  std::reverse(keys.begin(), keys.end());
  check_kway<u32, Less>(keys, 8, 64, 8);
  check_kway<u32, Less>(std::vector<u32>(9000, ~0u), 8, 64, 8);
  check_kway<u32, Less>(random_keys<u32>(9000, 2, 1), 8, 64, 8);
}

TEST_CASE("K-way mergesort sorts any key by any comparator") {
  check_kway<u64, Less>(random_keys<u64>(5500, ~u64(0), 3), 4, 64, 8);
  check_kway<u32, Greater>(random_keys<u32>(5500, 5000, 4), 4, 64, 16);
  check_kway<u32, EvenFirst>(random_keys<u32>(5500, 5000, 5), 4, 64, 8);
}
