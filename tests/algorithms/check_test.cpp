// SPDX-License-Identifier: Apache-2.0
// Each check must detect a planted fault, for every type. Otherwise a passing bench means nothing.
#include "../support/error_of.h"
#include "filled.h"

#include <fathom/algorithms/check/check.h>
#include <fathom/algorithms/check/digest_keys.h>

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

using namespace fathom;
using namespace fathom::tests;
using Catch::Matchers::Contains;

namespace {
constexpr std::size_t n = 1500;

/// A constant copy on the device, and a span over it.
template <class T>
struct OnDevice {
  DeviceArray<T> array;
  OnDevice(CountingExecutor& executor, const std::vector<T>& values)
      : array(executor, std::span<const T>(values)) {}
  operator Span<const T>() const { return {array.data(), array.size()}; }
};

constexpr std::size_t first = 0, middle = n / 2, last = n - 1;

/// The message of a check's failure; "" if it passes.
std::string verdict(auto check) {
  return tests::error_of<KernelFailure>(check);
}

template <class Key, class LessThan = Less>
std::string judge(const std::vector<Key>& input, const std::vector<Key>& output) {
  CountingExecutor executor;
  const OnDevice<Key> in(executor, input), out(executor, output);
  return verdict([&] { check_sorted<Key, LessThan>(executor, in, out); });
}

/// A sort of keys with values: its input and the correct output of a stable sort, which tests then corrupt.
template <class Key, class Value, class LessThan>
struct Pairs {
  std::vector<Key> input, keys;
  std::vector<Value> values;

  explicit Pairs(Input pattern) : Pairs(keys_of<Key>(pattern)) {}
  explicit Pairs(std::vector<Key> unsorted) : input(std::move(unsorted)), values(input.size()) {
    CountingExecutor executor;
    const DeviceArray<Value> places(executor, values.size());
    fill_values<Value>(executor, places.span());
    values = places.download();
    std::stable_sort(values.begin(), values.end(),
                     [this](Value a, Value b) { return LessThan{}(input[a], input[b]); });
    for (Value value : values) keys.push_back(input[value]);
  }

  std::string judged(bool stable) const {
    CountingExecutor executor;
    const OnDevice<Key> in(executor, input), out(executor, keys);
    const OnDevice<Value> places(executor, values);
    return verdict([&] { check_sorted_pairs<Key, Value, LessThan>(executor, in, out, places, stable); });
  }

  /// The first position from `start` on where a key's bits equal (`alike`) or differ from the next key's.
  std::size_t neighbours(bool alike, std::size_t start) const {
    for (std::size_t i = start; i + 1 < keys.size(); ++i)
      if (same_bits(keys[i], keys[i + 1]) == alike) return i;
    throw std::logic_error("no such neighbours");
  }
};

/// Calls check<Value, LessThan>() for both sizes of values and both orders, each once.
template <class Check>
void with_values_and_orders(Check check) {
  check.template operator()<u32, Less>();
  check.template operator()<u64, Greater>();
}

}  // namespace

TEMPLATE_LIST_TEST_CASE("the output of the standard library's sort passes", "", KeyElements) {
  for (Input pattern : all_inputs) {
    INFO(name(pattern));
    const auto input = keys_of<TestType>(pattern);
    auto output = input;
    std::sort(output.begin(), output.end(), Less{});
    CHECK((judge<TestType, Less>(input, output)) == "");
    std::sort(output.begin(), output.end(), Greater{});
    CHECK((judge<TestType, Greater>(input, output)) == "");
  }
  CHECK(judge<TestType>({}, {}) == "");
}

TEMPLATE_LIST_TEST_CASE("two exchanged keys are reported as out of order, wherever they are", "",
                        KeyElements) {
  const auto faulty = [&]<class LessThan>(LessThan less) {
    const auto input = keys_of<TestType>(Input::random);
    auto right = input;
    std::sort(right.begin(), right.end(), less);
    for (std::size_t at : {first, middle, last - 1}) {
      auto output = right;
      for (const bool backwards = at > 0; !less(output[at], output[at + 1]);) at += backwards ? -1 : 1;
      std::swap(output[at], output[at + 1]);
      INFO(at);
      CHECK_THAT((judge<TestType, LessThan>(input, output)), Contains("1 of 1500 keys are out of order"));
    }
  };
  faulty(Less{});
  faulty(Greater{});
}

TEMPLATE_LIST_TEST_CASE("a key that replaces another is detected, wherever it is", "", KeyElements) {
  const auto input = keys_of<TestType>(Input::sorted);
  const std::string other_keys = "wrong result: the output is sorted, but its keys differ from the input's";
  for (std::size_t at : {first, middle, last - 1}) {
    INFO(at);
    auto output = input;
    output[at + 1] = output[at];  // one key lost, another duplicated
    CHECK(judge(input, output) == other_keys);
    output = input;
    output[at] = output[at + 1];
    CHECK(judge(input, output) == other_keys);
  }
  auto output = input;
  output.front() = Element<TestType>::least();
  output.back() = Element<TestType>::greatest();
  CHECK(judge(input, output) == other_keys);
  CHECK(judge(input, std::vector<TestType>(n, TestType{})) == other_keys);
}

TEMPLATE_LIST_TEST_CASE("a change of any bit of a key is detected", "", KeyElements) {
  const std::vector<TestType> input(2, Element<TestType>::key(0x87654321));
  for (std::size_t bit = 0; bit < 8 * sizeof(TestType); ++bit) {
    INFO(bit);
    auto output = input;
    reinterpret_cast<unsigned char*>(&output[1])[bit / 8] ^= static_cast<unsigned char>(1 << bit % 8);
    CHECK(judge(input, output) != "");
  }
}

TEST_CASE("keys that compare equal but differ in their bits are different keys") {
  CHECK_THAT((judge<f32>({-0.0f, 1}, {0.0f, 1})), Contains("its keys differ"));
  CHECK_THAT((judge<f64>({-1, 0.0}, {-1, -0.0})), Contains("its keys differ"));
  CHECK_THAT((judge<Point>({{1, 2}}, {{2, 1}})), Contains("its keys differ"));
  CHECK_THAT((judge<Rational>({{1, 2}}, {{2, 4}})), Contains("its keys differ"));
  CHECK((judge<f32>({-0.0f, 0.0f, -0.0f}, {0.0f, -0.0f, -0.0f})) == "");
}

TEMPLATE_TEST_CASE("infinities sort first and last, and a NaN is rejected", "", f32, f64) {
  const TestType infinity = std::numeric_limits<TestType>::infinity(),
                 nan = std::numeric_limits<TestType>::quiet_NaN(),
                 greatest = std::numeric_limits<TestType>::max();
  const std::vector<TestType> sorted{-infinity, -greatest, -1, 0, greatest, infinity};
  CHECK(judge(sorted, sorted) == "");
  CHECK_THAT((judge<TestType>(sorted, {-greatest, -infinity, -1, 0, greatest, infinity})),
             Contains("1 of 6 keys"));
  CHECK_THAT((judge<TestType>(sorted, {-infinity, -greatest, -1, 0, infinity, greatest})),
             Contains("1 of 6 keys"));

  auto input = keys_of<TestType>(Input::random);
  for (std::size_t at : {first, middle, last}) input[at] = at % 2 == 0 ? nan : -nan;
  CHECK(judge(input, input) ==
        "the input cannot be sorted: 3 of 1500 keys are NaN, which has no place in the order: "
        "remove them or replace them with an infinity");
  CHECK_THAT((judge<TestType>({1, 2}, {1, nan})), Contains("its keys differ"));
}

TEMPLATE_LIST_TEST_CASE("the output of a stable sort of keys with values passes", "", KeyElements) {
  const auto passes = []<class Value, class LessThan>() {
    for (Input pattern : all_inputs) {
      INFO(name(pattern));
      CHECK((Pairs<TestType, Value, LessThan>(pattern).judged(true)) == "");
    }
    CHECK((Pairs<TestType, Value, LessThan>(std::vector<TestType>{}).judged(true)) == "");
  };
  with_values_and_orders(passes);
  passes.template operator()<u32, Greater>();
  passes.template operator()<u64, Less>();
}

TEMPLATE_LIST_TEST_CASE("values with the wrong key, twice, or out of a stable order are detected", "",
                        KeyElements) {
  with_values_and_orders([]<class Value, class LessThan>() {
    using Sorted = Pairs<TestType, Value, LessThan>;
    const std::string paired = "1500 values are paired with the wrong key";
    const Sorted random(Input::random);
    for (std::size_t start : {first, middle, last - 4}) {
      const std::size_t at = random.neighbours(false, start);
      Sorted pairs = random;
      std::swap(pairs.values[at], pairs.values[at + 1]);
      CHECK(pairs.judged(false) == "wrong result: 2 of " + paired);
      pairs = random;
      std::swap(pairs.keys[at], pairs.keys[at + 1]);
      CHECK_THAT(pairs.judged(false), Contains("of 1500"));
    }
    for (std::size_t at : {first, last})
      for (Value none : {Value(n), Value(~Value(0))}) {
        Sorted pairs = random;
        pairs.values[at] = none;
        CHECK(pairs.judged(false) == "wrong result: 1 of " + paired);
        pairs.keys.back() = pairs.keys.front();  // keys are checked first
        CHECK_THAT(pairs.judged(false), Contains("keys"));
      }
    for (Input pattern : {Input::few_unique, Input::equal, Input::zipf}) {
      INFO(name(pattern));
      const Sorted right(pattern);
      for (std::size_t start : {first, middle, pattern == Input::zipf ? first : last - 2}) {
        const std::size_t at = right.neighbours(true, start);
        Sorted pairs = right;
        std::swap(pairs.values[at], pairs.values[at + 1]);
        CHECK(pairs.judged(false) == "");
        CHECK(pairs.judged(true) ==
              "wrong result: the sort is not stable: 1 of 1500 keys changed order with an equal key");
        pairs.values[at] = pairs.values[at + 1];
        CHECK(pairs.judged(false) == "wrong result: some values are duplicated and others are lost");
      }
    }
    Sorted reversed(Input::equal);
    std::reverse(reversed.values.begin(), reversed.values.end());
    CHECK(reversed.judged(false) == "");
    CHECK_THAT(reversed.judged(true), Contains("not stable"));
  });
}

TEMPLATE_TEST_CASE("keys that compare equal but differ keep their order in a stable sort", "", f32, f64,
                   Point, Rational) {
  with_values_and_orders([]<class Value, class LessThan>() {
    Pairs<TestType, Value, LessThan> pairs(Input::random);
    std::size_t at = 0;
    while (!equal_in_order(pairs.keys[at], pairs.keys[at + 1]) ||
           same_bits(pairs.keys[at], pairs.keys[at + 1]))
      ++at;
    REQUIRE(at + 2 < n);
    std::swap(pairs.keys[at], pairs.keys[at + 1]);
    CHECK_THAT(pairs.judged(false), Contains("2 of 1500 values are paired with the wrong key"));
    std::swap(pairs.values[at], pairs.values[at + 1]);
    CHECK(pairs.judged(false) == "");
    CHECK_THAT(pairs.judged(true), Contains("1 of 1500 keys changed order"));
  });
}

TEST_CASE("arrays of different lengths, and more keys than 32-bit values can tell apart, are rejected") {
  CHECK_THROWS_WITH((judge<u32>({1, 2, 3}, {1, 2})), "the output has 2 elements, but the input has 3");
  Pairs<u32, u32, Less> pairs(Input::random);
  pairs.values.pop_back();
  CHECK_THROWS_AS(pairs.judged(false), std::invalid_argument);
  CountingExecutor executor;
  const Span<const u32> many{nullptr, (u64(1) << 32) + 1};
  CHECK_THROWS_WITH((check_sorted_pairs<u32, u32, Less>(executor, many, many, many, true)),
                    Contains("use u64"));
}

namespace {

template <class T>
T one_more(T value) {
  if constexpr (std::is_same_v<T, Pair>)
    return {value.first, value.second + 1};
  else
    return Plus{}(value, T(1));
}

template <class T>
std::string judge_scan(const std::vector<T>& input, const std::vector<T>& output, Index depth = 0) {
  CountingExecutor executor;
  const OnDevice<T> in(executor, input), out(executor, output);
  return verdict([&] { check_exclusive_scan<T, Plus>(executor, in, out, depth); });
}
template <class T>
std::string judge_sum(const std::vector<T>& input, T sum, Index depth = 0) {
  CountingExecutor executor;
  const OnDevice<T> in(executor, input), out(executor, {sum});
  return verdict([&] { check_reduction<T, Plus>(executor, in, out, depth); });
}

}  // namespace

TEMPLATE_LIST_TEST_CASE("a correct scan passes, one wrong element does not", "", SummandElements) {
  const auto input = summands_of<TestType>(Input::random);
  std::vector<TestType> right(n);
  std::exclusive_scan(input.begin(), input.end(), right.begin(), TestType{}, Plus{});
  CHECK(judge_scan(input, right) == "");
  for (std::size_t wrong : {first, middle, last}) {
    auto output = right;
    output[wrong] = one_more(output[wrong]);
    CHECK_THAT(judge_scan(input, output), Contains("of 1500 elements differ from the definition"));
  }
  std::inclusive_scan(input.begin(), input.end(), right.begin(), Plus{});
  CHECK_THAT(judge_scan(input, right), Contains("differ from the definition"));
}

TEMPLATE_LIST_TEST_CASE("the correct sum passes, any other does not", "", SummandElements) {
  auto input = summands_of<TestType>(Input::random);
  const TestType sum = std::accumulate(input.begin(), input.end(), TestType{}, Plus{});
  CHECK(judge_sum(input, sum) == "");
  CHECK_THAT(judge_sum(input, one_more(sum)),
             Contains("the reduction of 1500 elements gave") && Contains("instead of"));
  for (std::size_t changed : {first, last}) {
    auto other = input;
    other[changed] = one_more(other[changed]);
    CHECK(judge_sum(other, sum) != "");
  }
  CHECK(judge_sum({}, TestType{}) == "");
}

TEST_CASE("the message shows both the wrong sum and the correct one") {
  CHECK_THAT((judge_sum<u32>({1, 2, 3}, 7)), Contains("the reduction of 3 elements gave 7 instead of 6"));
  CHECK_THAT((judge_sum<i64>({1, -2}, 1)), Contains("the reduction of 2 elements gave 1 instead of -1"));
  CHECK_THAT((judge_sum<Pair>({{1, 2}, {3, 4}}, {4, 5})),
             Contains("the reduction of 2 elements gave (4, 5) instead of (4, 6)"));
  CHECK_THAT((judge_sum<Pair>({{1, 2}, {3, 4}}, {5, 6})), Contains("instead of (4, 6)"));
}

TEMPLATE_TEST_CASE("random floating-point summands have sums that are exact in any order", "", f32, f64) {
  const auto values = summands_of<TestType>(Input::random, 3000);
  for (TestType value : {-1, 0, 1}) CHECK(std::count(values.begin(), values.end(), value) > 3000 / 4);
  CHECK(rounding_depth(Input::random, 100) == 0);
  CHECK(rounding_depth(Input::zipf, 100) == 100);

  const TestType sum = std::accumulate(values.rbegin(), values.rend(), TestType(0));
  CHECK(judge_sum(values, sum) == "");
  CHECK(judge_sum(values, std::nextafter(sum, TestType(1e9))) != "");
}

TEMPLATE_TEST_CASE("sums that round may be wrong by at most depth·ε·Σ|x|", "", f32, f64) {
  constexpr std::size_t count = 3000;
  const auto values = summands_of<TestType>(Input::zipf, count);
  std::vector<TestType> scanned(count);
  std::exclusive_scan(values.begin(), values.end(), scanned.begin(), TestType(0));
  CHECK(judge_scan(values, scanned, count) == "");
  // All inputs are positive, so that the last result is nearly Σ|x| and an error of four times the bound is
  // detected.
  const TestType last = scanned.back();
  const TestType bound = TestType(count) * std::numeric_limits<TestType>::epsilon() * last;
  scanned.back() = last + 4 * bound;
  CHECK_THAT(judge_scan(values, scanned, count), Contains("1 of 3000"));
  scanned.back() = std::numeric_limits<TestType>::quiet_NaN();
  CHECK_THAT(judge_scan(values, scanned, count), Contains("1 of 3000"));

  const TestType sum = last + values.back();
  CHECK(judge_sum(values, sum, count) == "");
  CHECK(judge_sum(values, sum + 4 * bound, count) != "");
  CHECK(judge_sum(values, std::numeric_limits<TestType>::quiet_NaN(), count) != "");
}
