// SPDX-License-Identifier: Apache-2.0
#include <fathom/core/text/size.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <utility>

using namespace fathom;

TEST_CASE("a size is a plain number, has an exponent, or is a power") {
  CHECK(size_in("1000000") == 1000000);
  CHECK(size_in("1e6") == 1000000);
  CHECK(size_in("1.5") == 1.5);
  CHECK(size_in("2^20") == 1048576);
  CHECK(size_in("100M") == 100000000);
  CHECK(size_in("1.5k") == 1500);
  CHECK(size_in("2G") == 2000000000);
  CHECK_FALSE(size_in("1e308G"));
  CHECK(size_in("10^3") == 1000);
  CHECK(std::isinf(*size_in("2^1024")));
}

TEST_CASE("other text is no size") {
  for (const char* text : {"", "many", "nan", "inf", "1e400", "2^", "^3", "2^-1", "2^x", "1^3", "2^010",
                           "010", "0x10", " 5", "1e6x"}) {
    INFO(text);
    CHECK_FALSE(size_in(text));
  }
}

TEST_CASE("a number of elements is a power of two, has an exponent, or is plain, and is read again") {
  const std::pair<double, const char*> rows[] = {{0x1p40, "2^40"},     {0x1p10, "2^10"}, {512, "512"},
                                                 {1e8, "1e8"},         {1.5e8, "1.5e8"}, {100, "100"},
                                                 {1000003, "1000003"}, {1e13, "1e13"}};
  for (const auto& [n, text] : rows) {
    CHECK(elements(n) == text);
    CHECK(size_in(text) == n);
  }
}
