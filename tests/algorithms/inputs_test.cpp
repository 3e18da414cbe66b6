// SPDX-License-Identifier: Apache-2.0
// Inputs are what their names say, and those that data/ was measured with.
#include "filled.h"

#include <fathom/algorithms/block/digits.h>
#include <fathom/algorithms/check/digest_keys.h>
#include <fathom/algorithms/check/pattern.h>
#include <fathom/algorithms/make_algorithm.h>

#include <catch2/catch.hpp>

#include <bit>
#include <cmath>

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <numeric>

using namespace fathom;
using namespace fathom::tests;

TEMPLATE_LIST_TEST_CASE("inputs of sorts match their names", "", KeyElements) {
  const auto distinct = [](std::vector<TestType> keys) {
    std::sort(keys.begin(), keys.end(), Less{});
    return std::size_t(std::unique(keys.begin(), keys.end(), equal_in_order<TestType>) - keys.begin());
  };
  const auto descents = [](const std::vector<TestType>& keys) {
    std::size_t count = 0;
    for (std::size_t i = 1; i < keys.size(); ++i) count += keys[i] < keys[i - 1];
    return count;
  };
  constexpr std::size_t count = 3000;
  const auto make = [](Input pattern) { return keys_of<TestType>(pattern, count); };
  for (Input pattern : all_inputs)
    for (const TestType& key : make(pattern)) REQUIRE(!is_nan(key));

  const auto random = make(Input::random);
  CHECK(distinct(random) > count * 19 / 20);  // special values may repeat
  CHECK(descents(random) > count * 2 / 5);
  CHECK(descents(random) < count * 3 / 5);
  CHECK(distinct(make(Input::sorted)) >= count - 1);  // -0 and +0 may both occur
  CHECK(descents(make(Input::sorted)) == 0);
  CHECK(descents(make(Input::reverse)) >= count - 2);
  const auto nearly = make(Input::nearly_sorted);
  CHECK(descents(nearly) > 0);
  CHECK(descents(nearly) < count / 32);
  CHECK(distinct(make(Input::few_unique)) == 16);
  CHECK(descents(make(Input::few_unique)) > count / 3);
  CHECK(distinct(make(Input::equal)) == 1);
  const auto zipf = make(Input::zipf);
  const auto ones = std::count(zipf.begin(), zipf.end(), Element<TestType>::key(1));
  CHECK(std::size_t(ones) > count * 45 / 100);  // P(1) = 1/2
  CHECK(std::size_t(ones) < count * 55 / 100);
}

TEST_CASE("the degree of an input is the share of keys in order, or the entropy of a bit") {
  constexpr std::size_t count = 4000;
  const auto sorted = keys_of<u32>(Input::sorted, count);
  for (const double degree : {0., 0.3, 0.9, 1.}) {
    INFO(degree);
    const auto keys = keys_of<u32>(Input{Input::sortedness, degree}, count);
    double in_place = 0, ones = 0;
    for (std::size_t i = 0; i < count; ++i) in_place += keys[i] == sorted[i];
    CHECK(in_place / count == Approx(degree).margin(0.03));

    for (const u32 key : keys_of<u32>(Input{Input::entropy, degree}, count)) ones += std::popcount(key);
    const double p = ones / (32 * count);
    const double entropy = p > 0 ? -p * std::log2(p) - (1 - p) * std::log2(1 - p) : 0;
    CHECK(p <= 0.51);
    CHECK(entropy == Approx(degree).margin(0.02));
  }
}

TEMPLATE_LIST_TEST_CASE("the prefixes of an input have the shares that are said", "", RadixKeys) {
  constexpr std::size_t count = 1 << 16;
  std::vector<Input> inputs(all_inputs.begin(), all_inputs.end());
  inputs.insert(inputs.end(), {Input{Input::sortedness, 0.5}, Input{Input::entropy, 0.5}});
  for (const Input& input : inputs) {
    const auto keys = keys_of<TestType>(input, count);
    for (const int bits : {1, 5, 8, 10, 13}) {
      INFO(name(input) << ", " << bits << " bits");
      std::vector<double> with_prefix(std::size_t(1) << bits);
      for (const TestType& key : keys)
        ++with_prefix[std::size_t(Digit{key_bits<TestType> - bits, bits}.of(key))];
      std::ranges::sort(with_prefix, std::greater{});
      std::vector<PrefixShare> said = prefix_shares(input, element_type_of<TestType>, bits);
      std::ranges::sort(said, std::greater{}, &PrefixShare::share);
      // By chance; and floating-point keys skip the patterns of NaN, which parts the lowest from its
      // neighbours.
      const auto margin = [](double mean) {
        return 5 * std::sqrt(mean) + (detail::is_float<TestType> ? mean / 15 : 0);
      };
      const double most = count * said.front().share;
      CHECK(with_prefix.front() == Approx(most).margin(margin(most)));
      if (said.front().share == 1) continue;  // of inputs with mostly small keys, others are not said
      double shares = 0, keys_of_common = 0;
      std::size_t common = 0;
      for (const auto& [share, prefixes] : said) {
        shares += share * prefixes;
        if (share * count < 40) continue;
        keys_of_common += count * share * prefixes;
        common += std::size_t(prefixes);
      }
      CHECK(shares == Approx(1).epsilon(0.01));
      CHECK(std::accumulate(with_prefix.begin(), with_prefix.begin() + Index(common), 0.) ==
            Approx(keys_of_common).margin(margin(keys_of_common) + 0.02 * count));
    }
  }
}

TEMPLATE_LIST_TEST_CASE("the most frequent keys of an input have the shares that are said", "", RadixKeys) {
  constexpr std::size_t count = 1 << 16;
  std::vector<Input> inputs(all_inputs.begin(), all_inputs.end());
  for (const double entropy : {0.05, 0.1, 0.5}) inputs.push_back({Input::entropy, entropy});
  for (const Input& input : inputs) {
    INFO(name(input));
    std::map<BitsOf<TestType>, double> keys;
    for (const TestType& key : keys_of<TestType>(input, count)) ++keys[ordered_bits(key)];
    std::vector<double> found;
    for (const auto& [key, times] : keys) found.push_back(times);
    std::ranges::sort(found, std::greater{});
    const std::vector<double> said = frequent_key_shares(input);
    CHECK(std::ranges::is_sorted(said, std::greater{}));
    CHECK(std::accumulate(said.begin(), said.end(), 0.) < 1 + 1e-9);
    for (std::size_t i = 0; i < said.size() && count * said[i] > 2000; ++i) CHECK(i < found.size());
    for (std::size_t i = 0; i < found.size() && found[i] > 1000; ++i)
      CHECK(count * (i < said.size() ? said[i] : 0) == Approx(found[i]).margin(5 * std::sqrt(found[i])));
  }
}

TEMPLATE_LIST_TEST_CASE("the keys of an input share the digits that are said", "", RadixKeys) {
  std::vector<Input> inputs(all_inputs.begin(), all_inputs.end());
  inputs.insert(inputs.end(), {Input{Input::sortedness, 0.5}, Input{Input::sortedness, 1},
                               Input{Input::entropy, 0}, Input{Input::entropy, 0.5}});
  for (const std::size_t count : {2000u, 5000u, 65536u})
    for (const Input& input : inputs) {
      const auto keys = keys_of<TestType>(input, count);
      const u64 said = shared_bits({.n = double(count), .type = element_type_of<TestType>}, input);
      for (const int bits : {4, 7, 8})
        for (int p = 0; p < BitRange::all<TestType>().digits(bits); ++p) {
          INFO(name(input) << ", " << count << " keys, digit " << p << " of " << bits << " bits");
          const Digit digit = BitRange::all<TestType>().digit(p, bits);
          const bool is_shared = std::ranges::all_of(
              keys, [&](const TestType& key) { return digit.of(key) == digit.of(keys.front()); });
          const u64 mask = ((u64(1) << digit.count) - 1) << digit.first;
          CHECK(is_shared == ((said & mask) == mask));
        }
    }
}

TEST_CASE("the bits of zipf's largest keys are known") {
  u64 largest = 0;
  for (Index i = 0; i < 1 << 22; ++i) {
    const u64 key = pattern_value(Pattern::zipf, i, 1 << 22, 0);
    if (std::bit_width(key) <= std::bit_width(largest)) continue;
    const auto differing = [](Index n) { return u32(~shared_bits({.n = double(n)}, Input::zipf)); };
    if (i > 200) CHECK(differing(i) == std::bit_ceil(largest + 1) - 1);
    largest = key;
    if (i > 200) CHECK(differing(i + 1) == std::bit_ceil(largest + 1) - 1);
  }
}

TEST_CASE("values of the input are their positions") {
  constexpr std::size_t n = 1500;
  CountingExecutor executor;
  const DeviceArray<u32> narrow(executor, n);
  const DeviceArray<u64> wide(executor, n);
  fill_values<u32>(executor, narrow.span());
  fill_values<u64>(executor, wide.span());
  for (std::size_t i = 0; i < n; ++i) {
    REQUIRE(narrow.download()[i] == i);
    REQUIRE(wide.download()[i] == i);
  }
}

TEST_CASE("inputs of reductions and scans are those of the measurements in data/") {
  const auto digest = []<class T>(std::type_identity<T>) {
    u64 digest = 0;
    for (Input pattern : all_inputs) {
      u64 of_pattern = 0;
      for (const T& summand : summands_of<T>(pattern, 10000))
        for (u32 word : words_of(summand).word) of_pattern = scatter(of_pattern ^ word);
      digest = scatter(digest ^ of_pattern);
    }
    return digest;
  };
  CHECK(digest(std::type_identity<u32>{}) == 0xbdd95c3fa4c8a8d7ull);
  CHECK(digest(std::type_identity<u64>{}) == 0x3b47a96d7f47b215ull);
  CHECK(digest(std::type_identity<f32>{}) == 0x1cbb4f6f3ff4ff61ull);
  CHECK(digest(std::type_identity<f64>{}) == 0x0997d7dfd89739deull);
  CHECK(digest(std::type_identity<Pair>{}) == 0xb438e27a726d8468ull);
}

namespace {

/// The pattern is, for any tile shape, a permutation of the sorted one, bit by bit.
template <class T, auto fill>
void check_conflict_heavy() {
  const auto in_bytes = [](const T& a, const T& b) { return std::memcmp(&a, &b, sizeof(T)) < 0; };
  for (const TileShape tile : {TileShape{64, 3}, TileShape{64, 32}, TileShape{128, 17}, TileShape{256, 47}})
    for (const int around : {1, tile.elements, tile.threads * tile.elements})
      for (const int count : {around - 1, around, around + 1, around > 1 ? 3 * around + 1 : 1}) {
        if (count == 0) continue;
        INFO("n = " << count << ", t = " << tile.threads << ", E = " << tile.elements);
        auto found = filled<T, fill>(Input::conflict_heavy, std::size_t(count), tile);
        auto sorted = filled<T, fill>(Input::sorted, std::size_t(count), tile);
        std::sort(found.begin(), found.end(), in_bytes);
        std::sort(sorted.begin(), sorted.end(), in_bytes);
        CHECK(std::memcmp(found.data(), sorted.data(), found.size() * sizeof(T)) == 0);
      }
}

}  // namespace

TEMPLATE_LIST_TEST_CASE("a conflict-heavy input is a permutation of the sorted keys", "", KeyElements) {
  check_conflict_heavy<TestType, fill_with_keys>();
}
TEMPLATE_LIST_TEST_CASE("a conflict-heavy input is a permutation of the sorted summands", "",
                        SummandElements) {
  check_conflict_heavy<TestType, fill_with_summands>();
}
