// SPDX-License-Identifier: Apache-2.0
#include "arguments.h"

#include "../support/error_of.h"

#include <catch2/catch.hpp>

using namespace fathom;
using namespace fathom::cli;

namespace {
const std::vector<ParameterInfo> infos{{"E", "elements per thread", {3, 5, 7, 9}, 7},
                                       {"t", "threads per block", {64, 128, 256}, 128}};

std::string complaint(auto parse) {
  return tests::error_of<UsageError>(parse);
}
}  // namespace

TEST_CASE("a number of elements is a plain number, has an exponent, or is a power") {
  CHECK(parse_count("1000000") == 1000000);
  CHECK(parse_count("1e6") == 1000000);
  CHECK(parse_count("1.5e3") == 1500);
  CHECK(parse_count("2^20") == 1048576);
  CHECK(parse_count("10^3") == 1000);
  CHECK(parse_count("2^53") == 9007199254740992);
  CHECK(parse_count("1") == 1);
  CHECK(parse_count("100M") == 100000000);
  CHECK(parse_count("1.5k") == 1500);
  CHECK(parse_count("2G") == 2000000000);
}

TEST_CASE("an invalid number of elements is refused with the reason") {
  for (const char* text : {"",    "abc",  "nan", "inf",   "2^",    "^3", "2^-1", "1e6x",  "1e400", " 5",
                           "2^x", "0x10", "010", "2^010", "1 000", "M",  "1m",   "2^10k", "1kk",   "1Mi"}) {
    INFO(text);
    CHECK(complaint([&] { parse_count(text); }).find("is not a number of elements") != std::string::npos);
  }
  CHECK(complaint([] { parse_count("0"); }) == "n = 0: give at least one element");
  CHECK(complaint([] { parse_count("-5"); }) == "n = -5: give at least one element");
  CHECK(complaint([] { parse_count("1.5"); }) == "n = 1.5: give a whole number of elements");
  CHECK(complaint([] { parse_count("2^54"); }) == "n = 2^54: give at most 2^53 elements");
}

TEST_CASE("ranges cover powers, take a stride, and mix with single sizes") {
  CHECK(parse_sizes("2^3..2^6") == std::vector<double>{8, 16, 32, 64});
  CHECK(parse_sizes("2^2..2^10:4") == std::vector<double>{4, 64, 1024});
  CHECK(parse_sizes("2^2..2^9:4") == std::vector<double>{4, 64});
  CHECK(parse_sizes("10^1..10^3") == std::vector<double>{10, 100, 1000});
  CHECK(parse_sizes("1e3,2^10,2^9..2^11") == std::vector<double>{1000, 1024, 512, 2048});
  CHECK(parse_sizes("2^5..2^5") == std::vector<double>{32});
  CHECK(parse_sizes("2^1..2^2:2147483647") == std::vector<double>{2});
  CHECK(parse_sizes("1,2,2^0..2^1") == std::vector<double>{1, 2});
}

TEST_CASE("invalid ranges are refused") {
  for (const char* text :
       {"2^6..2^3", "2^3..10^6", "1..5", "2^3..2^6:0", "2^3..2^6:x", "..", "2^3..", "2^3...2^5"}) {
    INFO(text);
    CHECK(complaint([&] { parse_sizes(text); }).find("is not a range of sizes") != std::string::npos);
  }
  CHECK_FALSE(complaint([] { parse_sizes("2^3,,2^5"); }).empty());
}

TEST_CASE(
    "a grid has every combination of the values given, the algorithm's first parameter varying slowest") {
  CHECK(parse_grid("sort", infos, {}) == std::vector<Parameters>(1));
  CHECK(parse_grid("sort", infos, {"t=256"}) == std::vector<Parameters>{{{"t", 256}}});
  CHECK(parse_grid("sort", infos, {"t=64,256", "E=3,9"}) ==
        std::vector<Parameters>{
            {{"E", 3}, {"t", 64}}, {{"E", 3}, {"t", 256}}, {{"E", 9}, {"t", 64}}, {{"E", 9}, {"t", 256}}});
  SECTION("lo..hi stands for the allowed values in between") {
    CHECK(parse_grid("sort", infos, {"E=5..9"}).size() == 3);
    CHECK(parse_grid("sort", infos, {"E=3..9", "t=64..256"}).size() == 12);
  }
  SECTION("an algorithm without parameters has one point") {
    CHECK(parse_grid("cub-scan", {}, {}).size() == 1);
  }
}

TEST_CASE("invalid assignments are refused with name, value and choices") {
  CHECK(complaint([] { parse_grid("sort", infos, {"e=3"}); }) ==
        "sort has no parameter 'e': did you mean 'E'? (it has E, t)");
  CHECK(complaint([] { parse_grid("sort", infos, {"E=4"}); }) ==
        "E of sort cannot be '4': E (elements per thread) takes 3, 5, 7, 9");
  std::vector<ParameterInfo> many = infos;
  many[0].values = {4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 28, 32};
  CHECK(complaint([&] { parse_grid("sort", many, {"E=33"}); }) ==
        "E of sort cannot be '33': E (elements per thread) takes 4 to 32");
  CHECK(complaint([&] { parse_grid("sort", many, {"E=25"}); }) ==
        "E of sort cannot be '25': E (elements per thread) takes 4 to 32 (not all of them: nearest to 25 are "
        "24 and 28)");
  for (const char* text : {"E", "E=", "=3"}) {
    INFO(text);
    CHECK(complaint([&] { parse_grid("sort", infos, {text}); }).find("is not an assignment") !=
          std::string::npos);
  }
  CHECK_FALSE(complaint([] { parse_grid("sort", infos, {"E=9..3"}); }).empty());
  CHECK_FALSE(complaint([] { parse_grid("sort", infos, {"E=3", "E=5"}); }).empty());
  CHECK_FALSE(complaint([] { parse_grid("cub-scan", {}, {"E=3"}); }).empty());
}

TEST_CASE("assignments hold only what is given") {
  CHECK(parse_assignments("sort", infos, {}).empty());
  CHECK(parse_assignments("sort", infos, {"t=64,256", "E=5..9"}) ==
        Assignments{{"t", {64, 256}}, {"E", {5, 7, 9}}});
  CHECK_FALSE(complaint([] { parse_assignments("sort", infos, {"x=3"}); }).empty());
}

TEST_CASE("a whole-number option takes decimal digits in its range, and sizes their notation, too") {
  CHECK(parse_whole("--top", "0", {0, 20}) == 0);
  CHECK(parse_whole("--top", "20", {0, 20}) == 20);
  CHECK(parse_whole("--threads", "2^14", {1, 1e6, true}) == 16384);
  CHECK(parse_whole("--threads", "1e3", {1, 1e6, true}) == 1000);
  for (const char* text : {"", "-1", "21", "0x10", "010", "1e1", "2^3", "1.0", "+5", " 5", "5 ", "five",
                           "nan", "5,6", "99999999999999999999"}) {
    INFO(text);
    CHECK(complaint([&] {
            parse_whole("--top", text, {0, 20});
          }) == "--top '" + std::string(text) + "': give a whole number from 0 to 20");
  }
  for (const char* text : {"", "0", "-5", "1.5", "0x10", "010", "inf", "nan", "1e7", "2^64", "2^-1"}) {
    INFO(text);
    CHECK(complaint([&] {
            parse_whole("--threads", text, {1, 1e6, true});
          }) == "--threads '" + std::string(text) +
                    "': give a whole number from 1 to 1000000, as 1024, 1e6 or 2^14");
  }
}

TEST_CASE("a value that is listed twice is refused, unless a range has it, too") {
  CHECK(complaint([] { parse_sizes("1e6,1000000"); }) == "'1000000' is listed twice: list it once");
  CHECK(complaint([] { parse_grid("sort", infos, {"E=5,7,5"}); }) == "'5' is listed twice: list it once");
  CHECK(complaint([] { check_distinct({"u32", "u64", "u32"}); }) == "'u32' is listed twice: list it once");
  CHECK_NOTHROW(check_distinct({"u32", "u64"}));
  CHECK(parse_sizes("2^4,2^3..2^5") == std::vector<double>{16, 8, 32});
  CHECK(parse_sizes("2^3..2^5,2^4") == std::vector<double>{8, 16, 32});
  CHECK(parse_assignments("sort", infos, {"E=3..7,5"}) == Assignments{{"E", {3, 5, 7}}});
}
