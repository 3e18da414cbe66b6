// SPDX-License-Identifier: Apache-2.0
// Sorts on the CPU, for tests: a solver's output against what the standard library makes of its input.
#pragma once

#include "../../support/sanitized.h"

#include <fathom/algorithms/sort/device_list.h>
#include <fathom/device/counting/counting_executor.h>

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <random>
#include <vector>

namespace fathom::tests {

/// `n` keys below `range`.
template <class Key>
std::vector<Key> random_keys(std::size_t n, Key range, unsigned seed) {
  std::mt19937_64 generator(seed);
  std::vector<Key> keys(n);
  for (Key& key : keys) key = Key(generator()) % range;
  return keys;
}

/// `n` points with coordinates from −range to range − 1.
inline std::vector<Point> random_points(std::size_t n, int range, unsigned seed) {
  std::mt19937 generator(seed);
  const auto coordinate = [&] { return int(generator() % unsigned(2 * range)) - range; };
  std::vector<Point> points(n);
  for (Point& point : points) point = {coordinate(), coordinate()};
  return points;
}

/// The inputs 0, 1, …; the same reversed; all keys equal; two values.
inline std::vector<std::vector<u32>> special_inputs(std::size_t n) {
  std::vector<u32> ascending(n);
  std::iota(ascending.begin(), ascending.end(), 0u);
  return {
      ascending, {ascending.rbegin(), ascending.rend()}, std::vector<u32>(n, ~0u), random_keys<u32>(n, 2, 1)};
}

/// Every combination of one of each list of values.
template <std::size_t count>
std::vector<std::array<int, count>> every(const std::vector<int> (&values)[count]) {
  std::vector<std::array<int, count>> all{{}};
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<std::array<int, count>> longer;
    for (auto one : all)
      for (const int value : values[i]) {
        one[i] = value;
        longer.push_back(one);
      }
    all = std::move(longer);
  }
  return all;
}

/// The keys as sorted by the solver that `make(executor, n)` makes.
template <class Key, class Make>
std::vector<Key> sort_on_cpu(const std::vector<Key>& keys, Make make, const CountingDevice& device = {}) {
  CountingExecutor executor(device);
  const DeviceArray<Key> input(executor, std::span<const Key>(keys)), output(executor, keys.size());
  executor.fill(output.data(), 0xa5, output.bytes());
  make(executor, Index(keys.size())).run({input.data(), input.size()}, output.span());
  REQUIRE(input.download() == keys);  // the input is unchanged
  return output.download();
}

/// The output is in order and has the same keys, bit by bit: keys may compare equal and differ.
template <class LessThan, class Key, class Make>
void check_sort(std::vector<Key> keys, Make make) {
  INFO("n = " << keys.size());
  std::vector<Key> sorted = sort_on_cpu(keys, make);
  CHECK(std::is_sorted(sorted.begin(), sorted.end(), LessThan{}));
  const auto less_bytes = [](const Key& a, const Key& b) { return std::memcmp(&a, &b, sizeof(Key)) < 0; };
  std::sort(keys.begin(), keys.end(), less_bytes);
  std::sort(sorted.begin(), sorted.end(), less_bytes);
  CHECK((sorted == keys));
}

/// Keys with their positions as values.
template <class Value, class Key>
std::vector<std::pair<Key, Value>> with_positions(const std::vector<Key>& keys) {
  std::vector<std::pair<Key, Value>> records;
  for (std::size_t i = 0; i < keys.size(); ++i) records.emplace_back(keys[i], Value(i));
  return records;
}

/// Keys with their positions as values, as sorted by the solver that `make(executor, n)` makes.
template <class Value, class Key, class Make>
std::vector<std::pair<Key, Value>> sort_records_on_cpu(const std::vector<Key>& keys, Make make,
                                                       const CountingDevice& device = {}) {
  std::vector<Value> values(keys.size());
  std::iota(values.begin(), values.end(), Value(0));
  CountingExecutor executor(device);
  const DeviceArray<Key> keys_in(executor, std::span<const Key>(keys)), keys_out(executor, keys.size());
  const DeviceArray<Value> values_in(executor, std::span<const Value>(values)),
      values_out(executor, keys.size());
  make(executor, Index(keys.size()))
      .run(read_only(SplitSpan<Key, Value>{keys_in.span(), values_in.span()}),
           {keys_out.span(), values_out.span()});
  const auto sorted_keys = keys_out.download();
  const auto sorted_values = values_out.download();
  std::vector<std::pair<Key, Value>> records;
  for (std::size_t i = 0; i < keys.size(); ++i) records.emplace_back(sorted_keys[i], sorted_values[i]);
  return records;
}

/// The output is in order, and each value has stayed with its key: the records are the same.
template <class LessThan, class Value, class Key, class Make>
void check_sort_of_records(const std::vector<Key>& keys, Make make) {
  INFO("n = " << keys.size());
  auto sorted = sort_records_on_cpu<Value>(keys, make);
  CHECK(std::ranges::is_sorted(sorted, LessThan{}, &std::pair<Key, Value>::first));
  std::ranges::sort(sorted, std::less{}, &std::pair<Key, Value>::second);
  CHECK((sorted == with_positions<Value>(keys)));
}

/// The output is that of std::stable_sort by `less` of the keys.
template <class Value, class Key, class LessThan, class Make>
void check_stable_sort(const std::vector<Key>& keys, LessThan less, Make make,
                       const CountingDevice& device = {}) {
  INFO("n = " << keys.size() << ", stable");
  auto expected = with_positions<Value>(keys);
  std::ranges::stable_sort(expected, less, &std::pair<Key, Value>::first);
  CHECK((sort_records_on_cpu<Value>(keys, make, device) == expected));
}

}  // namespace fathom::tests
