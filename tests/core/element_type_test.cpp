// SPDX-License-Identifier: Apache-2.0
// Element types as values, and the elements of inputs: ordered keys, and random keys over the whole range.
#include <fathom/core/element_type.h>
#include <fathom/core/operators.h>

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <set>

using namespace fathom;

namespace {

/// Values of [0, 2^32) in order: the ends, the middle, where digits change, and random ones.
std::vector<u64> some_values() {
  std::vector<u64> values;
  for (u64 middle : {u64(0), u64(1) << 8, u64(1) << 16, u64(1) << 24, u64(1) << 31, u64(1) << 32})
    for (i64 value = i64(middle) - 300; value <= i64(middle) + 300; ++value)
      if (value >= 0 && value < i64(1) << 32) values.push_back(u64(value));
  std::mt19937 generator(1);
  for (int i = 0; i < 5000; ++i) values.push_back(generator());
  std::sort(values.begin(), values.end());
  return values;
}

template <class T>
std::vector<T> random_keys(std::size_t n) {
  std::mt19937_64 generator(2);
  std::vector<T> keys(n);
  for (T& key : keys) key = Element<T>::random_key(generator());
  return keys;
}

}  // namespace

TEST_CASE("types and their values map to each other") {
  for (ElementType type : element_types(ElementTypes{}))
    with_element_type(ElementTypes{}, type, [&]<class T>(std::type_identity<T>) {
      CHECK(element_type_of<T> == type);
      CHECK(name(type) == Element<T>::name);
    });
  CHECK(element_type_of<Pair> == ElementType::pair);
  CHECK(element_type_of<Rational> == ElementType::rational);
}

TEST_CASE("numbers are keys and summands, pairs only summands, points and rationals only keys") {
  const auto is_among = [](const std::vector<ElementType>& types, ElementType type) {
    return std::find(types.begin(), types.end(), type) != types.end();
  };
  const auto keys = element_types(KeyElements{}), summands = element_types(SummandElements{});
  for (ElementType type : element_types(Types<u32, u64, i32, i64, f32, f64>{}))
    CHECK((is_among(keys, type) && is_among(summands, type)));
  CHECK((!is_among(keys, ElementType::pair) && is_among(summands, ElementType::pair)));
  for (ElementType type : {ElementType::point, ElementType::rational})
    CHECK((is_among(keys, type) && !is_among(summands, type)));
}

TEMPLATE_LIST_TEST_CASE("keys have the order of the values that they are made from", "", KeyElements) {
  const auto values = some_values();
  std::size_t equal = 0;
  for (std::size_t i = 1; i < values.size(); ++i) {
    const TestType before = Element<TestType>::key(values[i - 1]), key = Element<TestType>::key(values[i]);
    REQUIRE(!(key < before));
    if (values[i] != values[i - 1]) equal += !(before < key);
  }
  // There are fewer 32-bit floats than values; -0 and +0 are equal.
  CHECK(equal <= (std::is_same_v<TestType, f32>   ? values.size() / 100
                  : std::is_same_v<TestType, f64> ? 1
                                                  : 0));
  for (u64 value = 1; value < 256; ++value)
    CHECK(Element<TestType>::key(value - 1) < Element<TestType>::key(value));
}

TEMPLATE_LIST_TEST_CASE("no key is less than the least or greater than the greatest", "", KeyElements) {
  const TestType least = Element<TestType>::least(), greatest = Element<TestType>::greatest();
  CHECK(least < greatest);
  for (const TestType& key : random_keys<TestType>(10000)) {
    REQUIRE(!(key < least));
    REQUIRE(!(greatest < key));
  }
  if constexpr (std::is_arithmetic_v<TestType>) {
    CHECK((Element<TestType>::key(0) == least));
    CHECK((Element<TestType>::key(0xffffffff) == greatest));
  }
}

TEMPLATE_TEST_CASE("integers' random keys and summands are their bits", "", u32, u64, i32, i64) {
  std::mt19937_64 generator(3);
  for (int i = 0; i < 100; ++i) {
    const u64 bits = generator();
    CHECK(Element<TestType>::random_key(bits) == TestType(bits));
    CHECK(Element<TestType>::random_summand(bits) == TestType(bits));
    CHECK(Element<TestType>::summand(bits >> 32) == TestType(bits >> 32));
  }
}

TEMPLATE_TEST_CASE("random floating-point keys are of every kind but NaN", "", f32, f64) {
  using Limits = std::numeric_limits<TestType>;
  const auto keys = random_keys<TestType>(200000);
  const auto count = [&](auto is) { return std::count_if(keys.begin(), keys.end(), is); };
  const long some = long(keys.size()) / 2000;
  CHECK(count([](TestType x) { return std::isnan(x); }) == 0);
  for (bool sign : {false, true}) {
    INFO("sign " << sign);
    CHECK(count([=](TestType x) { return x == 0 && std::signbit(x) == sign; }) > some);
    CHECK(count([=](TestType x) { return std::isinf(x) && std::signbit(x) == sign; }) > some);
    CHECK(count([=](TestType x) { return std::fpclassify(x) == FP_SUBNORMAL && std::signbit(x) == sign; }) >
          some);
    CHECK(count([=](TestType x) { return std::isnormal(x) && std::signbit(x) == sign; }) >
          long(keys.size()) / 3);
  }
  std::set<int> exponents;
  for (TestType key : keys)
    if (std::isnormal(key)) exponents.insert(std::ilogb(key));
  CHECK(int(exponents.size()) == Limits::max_exponent - Limits::min_exponent + 1);
}

TEMPLATE_TEST_CASE("floating-point keys run from one infinity over both zeros to the other", "", f32, f64) {
  const auto key = &Element<TestType>::key;
  const u64 middle = u64(1) << 31;
  CHECK(key(0) == -std::numeric_limits<TestType>::infinity());
  CHECK(key(0xffffffff) == std::numeric_limits<TestType>::infinity());
  CHECK(std::signbit(key(middle - 1)));
  CHECK(!std::signbit(key(middle)));
  CHECK(key(middle) <= std::numeric_limits<TestType>::denorm_min() * TestType(1ll << 32));
  for (u64 value : some_values()) REQUIRE(!std::isnan(key(value)));
}

TEST_CASE("random points and rationals include different elements that are equivalent in order") {
  const auto meetings = [](auto keys) {
    std::stable_sort(keys.begin(), keys.end(), Less{});
    int count = 0;
    for (std::size_t i = 1; i < keys.size(); ++i)
      count += !(keys[i - 1] < keys[i]) && !(keys[i - 1] == keys[i]);
    return count;
  };
  CHECK(meetings(random_keys<Point>(3000)) > 10);
  CHECK(meetings(random_keys<Rational>(3000)) > 10);
  for (const Rational& rational : random_keys<Rational>(100000)) REQUIRE(rational.denominator > 0);
  CHECK(Element<Rational>::random_key(1).denominator > 0);
}

TEST_CASE("points and rationals are compared exactly at their extremes") {
  const i32 lowest = std::numeric_limits<i32>::min(), highest = std::numeric_limits<i32>::max();
  CHECK(Point{lowest, lowest}.distance() == u64(1) << 32);
  CHECK(Point{lowest, 0} < Point{highest, 2});
  CHECK(!(Point{lowest, 0} < Point{highest, 1}));
  CHECK(!(Point{highest, 1} < Point{lowest, 0}));
  CHECK(Point{lowest, highest} < Point{lowest, lowest});
  for (u64 distance : {u64(0), u64(1), u64(7), u64(1) << 31, (u64(1) << 32) - 1})
    CHECK(Element<Point>::key(distance).distance() == distance);

  const u32 most = ~u32(0);
  CHECK(Rational{highest - 1, most} < Rational{highest, most});
  CHECK(Rational{highest, most} < Rational{highest, most - 1});  // the quotients differ by 2^-33
  CHECK(Rational{lowest, most - 1} < Rational{lowest, most});
  CHECK(Rational{lowest, 1} < Rational{highest, 1});
  CHECK(!(Rational{1, 2} < Rational{2, 4}));
  CHECK(!(Rational{2, 4} < Rational{1, 2}));
  CHECK(!(Rational{1, 2} == Rational{2, 4}));
}

TEST_CASE("sums of signed integers wrap, and extremes are identities") {
  CHECK(Plus{}(std::numeric_limits<i32>::max(), 1) == std::numeric_limits<i32>::min());
  CHECK(Plus{}(std::numeric_limits<i64>::min(), i64(-1)) == std::numeric_limits<i64>::max());
  CHECK(Plus{}(2.5f, 0.25f) == 2.75f);
  CHECK(identity_of<Minimum, i32>() == std::numeric_limits<i32>::max());
  CHECK(identity_of<Maximum, i64>() == std::numeric_limits<i64>::min());
  CHECK(identity_of<Minimum, f64>() == std::numeric_limits<f64>::infinity());
  CHECK(identity_of<Maximum, f32>() == -std::numeric_limits<f32>::infinity());
  CHECK(HasIdentity<Maximum, Point>);
  CHECK(!HasIdentity<Maximum, Pair>);
}
