// SPDX-License-Identifier: Apache-2.0
// The compare-exchange networks on a thread's registers.
#include "sort_on_cpu.h"

#include <fathom/algorithms/block/networks.h>
#include <fathom/core/parameters.h>

#include <array>

using namespace fathom;
using namespace fathom::tests;

namespace {

/// The network's output for `values`.
template <class Network>
std::vector<u32> through(Network network, const std::vector<u32>& values) {
  const int count = int(values.size());
  Registers<u32, int> keys(count);
  for (int i = 0; i < count; ++i) keys[i] = values[std::size_t(i)];
  network(keys, count);
  std::vector<u32> output;
  for (int i = 0; i < count; ++i) output.push_back(keys[i]);
  return output;
}

template <class Network>
void require_sorted(Network network, std::vector<u32> values) {
  const std::vector<u32> output = through(network, values);
  std::sort(values.begin(), values.end());
  REQUIRE(output == values);
}

std::vector<u32> bits_of(u32 bits, int count) {
  std::vector<u32> values;
  for (int i = 0; i < count; ++i) values.push_back(bits >> i & 1);
  return values;
}

constexpr auto odd_even = [](auto& keys, int count) { odd_even_merge_sort(keys, count, Less{}); };
constexpr auto bitonic = [](auto& keys, int count) { bitonic_sort(keys, count, Less{}); };
constexpr auto merge = [](auto& keys, int count) { bitonic_merge(keys, count, Less{}); };

template <class Network>
void check_network(Network network, const std::vector<int>& counts) {
  for (int count : counts) {
    // The 0-1 principle: a network that sorts every sequence of zeros and ones sorts every sequence.
    if (count <= 16)
      for (u32 bits = 0; bits < (1u << count); ++bits) require_sorted(network, bits_of(bits, count));
    else
      for (unsigned seed = 0; seed < 50; ++seed)
        require_sorted(network, random_keys<u32>(std::size_t(count), seed % 2 ? 8 : 1000, seed));
  }
}

}  // namespace

TEST_CASE("the odd-even network sorts every number of elements that a thread may have") {
  check_network(odd_even, consecutive(1, 64));
}

TEST_CASE("the bitonic network sorts every power of two of elements that a thread may have") {
  check_network(bitonic, {1, 2, 4, 8, 16, 32, 64});
}

TEST_CASE("odd_even_merge merges two lists of a power of two with the comparators that it promises") {
  struct CountedLess {
    int* comparators;
    bool operator()(u32 a, u32 b) const {
      ++*comparators;
      return a < b;
    }
  };
  for (const auto [count, expected] : {std::array{1, 1}, {2, 3}, {4, 9}, {8, 25}, {16, 65}, {32, 161}})
    // The 0-1 principle: lists that end with so many ones.
    for (int ones = 0; ones <= count; ++ones)
      for (int others = 0; others <= count; ++others) {
        Registers<u32, int> low(count), high(count);
        for (int i = 0; i < count; ++i) {
          low[i] = i >= count - ones;
          high[i] = i >= count - others;
        }
        int comparators = 0;
        odd_even_merge(low, high, count, CountedLess{&comparators});
        REQUIRE(comparators == expected);
        for (int i = 0; i < 2 * count; ++i)
          REQUIRE((i < count ? low[i] : high[i - count]) == u32(i >= 2 * count - ones - others));
      }
}

TEST_CASE("bitonic_merge sorts sequences that first fall and then rise, wherever they turn") {
  for (int count = 1; count <= 64; ++count)
    for (int falling = 0; falling <= count; ++falling) {
      auto values = random_keys<u32>(std::size_t(count), 50, unsigned(count * 100 + falling));
      std::sort(values.begin(), values.begin() + falling, std::greater<>());
      std::sort(values.begin() + falling, values.end());
      require_sorted(merge, values);
    }
}

TEST_CASE("bitonic_merge sorts every rotation of a bitonic sequence of a power of two") {
  for (int count : {2, 4, 8, 16})
    for (u32 ones = 0; ones <= u32(count); ++ones)  // a cyclic run of ones: the 0-1 principle
      for (int first = 0; first < count; ++first) {
        std::vector<u32> values;
        for (int i = 0; i < count; ++i) values.push_back(u32((i - first + count) % count) < ones);
        require_sorted(merge, values);
      }
}
