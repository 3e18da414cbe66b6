// SPDX-License-Identifier: Apache-2.0
#include <fathom/core/text/number.h>

#include <catch2/catch.hpp>
#include <cmath>

using namespace fathom;

TEST_CASE("a number is the whole text, and fits its type") {
  CHECK(number_in<int>("42") == 42);
  CHECK(number_in<int>("-7") == -7);
  CHECK(number_in<double>("1e-3") == 1e-3);
  CHECK(std::isinf(*number_in<double>("inf")));
  for (const char* text : {"", " 1", "1 ", "+1", "1x", "x", "1.5", "2147483648", "0x10"}) {
    INFO('"' << text << '"');
    CHECK_FALSE(number_in<int>(text));
  }
  CHECK_FALSE(number_in<double>("1e999"));
}

TEST_CASE("a number with leading zeros is none where some would read it as octal") {
  CHECK(decimal_in<int>("10") == 10);
  CHECK(decimal_in<int>("0") == 0);
  CHECK(decimal_in<double>("0.5") == 0.5);
  CHECK_FALSE(decimal_in<int>("010"));
  CHECK_FALSE(decimal_in<double>("00"));
}
