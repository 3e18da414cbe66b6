// Sorts on the CPU, for tests: a solver's output against what the standard library makes of its input.
#pragma once

#include <fathom/algorithms/sort/device_list.h>
#include <fathom/device/counting/counting_executor.h>

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>
#include <vector>

namespace fathom::tests {

/// Below `range`.
template <class Key>
std::vector<Key> random_keys(std::size_t n, Key range, unsigned seed) {
  std::mt19937_64 generator(seed);
  std::vector<Key> keys(n);
  for (Key& key : keys) key = Key(generator()) % range;
  return keys;
}

/// Coordinates from −range to range − 1.
inline std::vector<Point> random_points(std::size_t n, int range, unsigned seed) {
  std::mt19937 generator(seed);
  const auto coordinate = [&] { return int(generator() % unsigned(2 * range)) - range; };
  std::vector<Point> points(n);
  for (Point& point : points) point = {coordinate(), coordinate()};
  return points;
}

/// 0, 1, …, reversed, equal, and of two values.
inline std::vector<std::vector<u32>> special_inputs(std::size_t n) {
  std::vector<u32> ascending(n);
  std::iota(ascending.begin(), ascending.end(), 0u);
  return {
      ascending, {ascending.rbegin(), ascending.rend()}, std::vector<u32>(n, ~0u), random_keys<u32>(n, 2, 1)};
}

/// `make(executor, n)` makes the solver.
template <class Key, class Make>
std::vector<Key> sort_on_cpu(const std::vector<Key>& keys, Make make) {
  CountingExecutor executor;
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

/// Keys with their positions as values, sorted.
template <class Value, class Key, class Make>
std::vector<std::pair<Key, Value>> sort_records_on_cpu(const std::vector<Key>& keys, Make make) {
  std::vector<Value> values(keys.size());
  std::iota(values.begin(), values.end(), Value(0));
  CountingExecutor executor;
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

/// Sorts keys with their positions as values: each must stay with its key.
template <class LessThan, class Value, class Key, class Make>
void check_sort_of_records(const std::vector<Key>& keys, Make make) {
  INFO("n = " << keys.size());
  const auto sorted = sort_records_on_cpu<Value>(keys, make);
  CHECK(std::ranges::is_sorted(sorted, LessThan{}, &std::pair<Key, Value>::first));
  std::vector<Value> positions, values(keys.size());
  std::iota(values.begin(), values.end(), Value(0));
  for (const auto& [key, position] : sorted) {
    REQUIRE(position < keys.size());
    REQUIRE(keys[std::size_t(position)] == key);
    positions.push_back(position);
  }
  std::sort(positions.begin(), positions.end());
  CHECK((positions == values));
}

}  // namespace fathom::tests
