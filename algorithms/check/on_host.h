// SPDX-License-Identifier: Apache-2.0
// Inputs and checks of sorts of data in host memory, on all cores of the host: the GPU's memory may not hold
// them. The order is that of the keys' bits (block/digits.h).
#pragma once

#include <fathom/algorithms/block/digits.h>
#include <fathom/algorithms/check/check_values.h>
#include <fathom/algorithms/check/judge.h>
#include <fathom/core/problem.h>

#include <algorithm>
#include <array>
#include <span>
#include <stdexcept>
#include <thread>
#include <vector>

namespace fathom {

/// Calls `each(begin, end)` for parts of [0, n), one for each core, at the same time. Returns their results.
template <class Each>
auto on_all_cores(std::size_t n, Each each) {
  using Result = decltype(each(n, n));
  const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
  std::vector<Result> results(cores);
  std::vector<std::jthread> threads;
  for (std::size_t core = 0; core < cores; ++core)
    threads.emplace_back([&, core] {
      results[core] = each(n / cores * core + n % cores * core / cores,
                           n / cores * (core + 1) + n % cores * (core + 1) / cores);
    });
  threads.clear();  // waits
  return results;
}

/// The keys that fill_keys() makes. Throws std::invalid_argument for the conflict-heavy input.
template <class Key>
void fill_keys_on_host(std::span<Key> keys, const Input& input) {
  if (input == Input::conflict_heavy)
    throw std::invalid_argument(
        "the input conflict-heavy is made for the tiles of a sort in the GPU's memory: choose another");
  const Pattern pattern = pattern_of(input);
  const u64 threshold = threshold_of(input);
  on_all_cores(keys.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      keys[i] = pattern == Pattern::random
                    ? AsKey::random<Key>(scatter(u64(i)))
                    : AsKey::of<Key>(pattern_value(pattern, Index(i), Index(keys.size()), threshold));
    return 0;
  });
}
/// Those of fill_values().
template <class Value>
void fill_values_on_host(std::span<Value> values) {
  on_all_cores(values.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) values[i] = Value(i);
    return 0;
  });
}

namespace detail {

/// What parts have counted, added up.
template <class Counts>
Counts sum_of(const std::vector<std::array<u64, 4>>& parts) {
  std::array<u64, 4> sum{};
  for (const auto& part : parts)
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += part[i];
  return Counts{sum[0], sum[1], sum[2], sum[3]};
}

template <class Key>
KeyDigest digest_on_host(std::span<const Key> keys) {
  return sum_of<KeyDigest>(on_all_cores(keys.size(), [&](std::size_t begin, std::size_t end) {
    u64 out_of_order = 0, nans = 0, sum = 0, other_sum = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const Key key = keys[i];
      out_of_order += i > 0 && ordered_bits(key) < ordered_bits(keys[i - 1]);
      nans += is_nan(key);
      sum += digest_of(key, digest_seed);
      other_sum += digest_of(key, other_digest_seed);
    }
    return std::array{out_of_order, nans, sum, other_sum};
  }));
}

/// A 32-bit value gives its index modulo 2^32.
template <class Key, class Value>
bool was_value_of(std::span<const Key> keys_in, const Key& key, Value value) {
  for (u64 i = value; i < keys_in.size(); i += u64(1) << 32) {
    if (same_bits(keys_in[i], key)) return true;
    if (sizeof(Value) > 4) break;
  }
  return false;
}

template <class Key, class Value>
ValueFaults value_faults_on_host(std::span<const Key> keys_in, std::span<const Key> keys_out,
                                 std::span<const Value> values_out) {
  return sum_of<ValueFaults>(on_all_cores(keys_out.size(), [&](std::size_t begin, std::size_t end) {
    u64 strayed = 0, out_of_turn = 0, sum = 0, other_sum = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const Value value = values_out[i];
      strayed += !was_value_of(keys_in, keys_out[i], value);
      out_of_turn += i > 0 && same_bits(keys_out[i - 1], keys_out[i]) && value <= values_out[i - 1];
      sum += digest_of(Value(i), digest_seed) - digest_of(value, digest_seed);
      other_sum += digest_of(Value(i), other_digest_seed) - digest_of(value, other_digest_seed);
    }
    return std::array{strayed, out_of_turn, sum, other_sum};
  }));
}

}  // namespace detail

/// As check_sorted().
template <class Key>
void check_sorted_on_host(std::span<const Key> input, std::span<const Key> output) {
  judge_keys(detail::digest_on_host(input), detail::digest_on_host(output), input.size());
}
/// As check_sorted_pairs().
template <class Key, class Value>
void check_sorted_pairs_on_host(std::span<const Key> keys_in, std::span<const Key> keys_out,
                                std::span<const Value> values_out, bool stable) {
  can_check_values(keys_in.size(), sizeof(Value), stable);
  check_sorted_on_host(keys_in, keys_out);
  judge_values(detail::value_faults_on_host(keys_in, keys_out, values_out), keys_in.size(), stable);
}

}  // namespace fathom
