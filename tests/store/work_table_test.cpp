// SPDX-License-Identifier: Apache-2.0
#include "json_text.h"

#include <fathom/store/built_in_text.h>
#include <fathom/store/work_table.h>

#include <fmt/format.h>
#include <catch2/catch.hpp>

#include <chrono>

using namespace fathom;
using Catch::Matchers::Contains;

namespace {

KernelWork kernel(std::string name, double scale) {
  KernelWork kernel;
  kernel.kernel = std::move(name);
  kernel.registers = 40;
  kernel.check_error = 0.0125;
  double value = scale;
  for (const Demand& demand : all_demands) kernel.constant.*demand.value = value *= 1.5;
  kernel.per_element.sectors_read = -0.125;
  kernel.per_doubling.instructions = 3;
  return kernel;
}

const WorkKey& key(const AlgorithmWork& row) {
  return row;
}

AlgorithmWork row(Input input, int E, double scale) {
  return {{"sort-pairwise", ElementType::u64, {{"E", E}, {"t", 256}}, input, 90},
          {kernel("BlockSort", scale), kernel("MergeTiles", 1)}};
}

WorkTable table() {
  WorkTable table;
  table.provenance.toolkit = "13.0";
  table.architecture = 90;
  table.rows = {row(Input::random, 17, 1), row(Input::sorted, 17, 1), row(Input::random, 15, 2)};
  table.rows[2].kernels[0].unknown_opcodes = {"NEWOP"};
  table.rows[2].kernels[0].uncertain = 0.25;
  return table;
}

/// Rounded as files are.
WorkTable table_again() {
  return parse_work_table(to_json(table()), "w.json");
}

std::string error_of(const std::string& text) {
  return format_error_of([&] { parse_work_table(text, "w.json"); });
}

std::size_t occurrences(const std::string& text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

}  // namespace

TEST_CASE("work tables survive the round trip, to 5 digits", "[work]") {
  const std::string text = to_json(table());
  const WorkTable again = parse_work_table(text, "again");
  CHECK(to_json(again) == text);
  CHECK(again.architecture == 90);
  CHECK(again.provenance.toolkit == "13.0");
  REQUIRE(again.rows.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    const AlgorithmWork expected = table().rows[i];
    CHECK(key(again.rows[i]) == key(expected));
    REQUIRE(again.rows[i].kernels.size() == 2);
    for (std::size_t k = 0; k < 2; ++k) {
      const KernelWork &got = again.rows[i].kernels[k], &wanted = expected.kernels[k];
      CHECK(got.kernel == wanted.kernel);
      CHECK(got.registers == wanted.registers);
      CHECK(got.unknown_opcodes == wanted.unknown_opcodes);
      CHECK(got.uncertain == wanted.uncertain);
      for (const Demand& demand : all_demands) {
        CHECK(got.constant.*demand.value == Approx(wanted.constant.*demand.value).epsilon(5e-5));
        CHECK(got.per_element.*demand.value == wanted.per_element.*demand.value);
        CHECK(got.per_doubling.*demand.value == wanted.per_doubling.*demand.value);
      }
    }
  }
}

TEST_CASE("rows tell keys with values from keys, and stable sorts from others", "[work]") {
  WorkTable pairs = table();
  for (const bool stable : {false, true}) {
    AlgorithmWork with_values = row(Input::random, 17, stable ? 4 : 3);
    with_values.type = {{ElementType::u64, ElementType::u32}, stable};
    pairs.rows.push_back(std::move(with_values));
  }
  const std::string text = to_json(pairs);
  CHECK_THAT(text, Contains(R"("type":"u64","parameters")"));  // as before there were values
  CHECK_THAT(text, Contains(R"("type":"u64:u32","parameters")"));
  CHECK_THAT(text, Contains(R"("type":"u64:u32","stable":true,"parameters")"));
  const WorkTable again = parse_work_table(text, "again");
  CHECK(to_json(again) == text);
  REQUIRE(again.rows.size() == 5);
  for (std::size_t i = 0; i < 5; ++i) CHECK(key(again.rows[i]) == key(pairs.rows[i]));
  CHECK(again.rows[0].type == Instantiation(ElementType::u64));
  CHECK(name(again.rows[4].type) == "u64:u32 stable");
  CHECK_THAT(error_of(text.substr(0, text.find("true")) + "1" + text.substr(text.find("true") + 4)),
             Contains("rows[3].stable"));
}

TEST_CASE("a work table of before two demands were dropped says the same", "[work]") {
  std::string old = to_json(table());
  old = replaced(old, "\"atomic_sectors\"\n",
                 "\"atomic_sectors\",\n    \"lone_clocks\",\n    \"steady_clocks\"\n");
  const std::size_t end = old.find(']', old.find("\"constant\":["));
  old.insert(end, ",529.02,60.339");
  CHECK(parse_work_table(old, "old.json").rows == table_again().rows);
  CHECK_THAT(error_of(replaced(old, "\"lone_clocks\"", "\"clocks\"")),
             Contains("demands[24]' is 'clocks', must be 'lone_clocks'"));
}

TEST_CASE("work that was not checked has no error", "[work]") {
  WorkTable unchecked = table();
  unchecked.rows[0].kernels[0].check_error.reset();
  CHECK_FALSE(parse_work_table(to_json(unchecked), "w.json").rows[0].kernels[0].check_error);
}

TEST_CASE("what rows share is stored once", "[work]") {
  const std::string text = to_json(table());
  CHECK(occurrences(text, "\"MergeTiles\"") == 1);
  CHECK(occurrences(text, "\"BlockSort\"") == 2);
  CHECK(occurrences(text, "\"algorithm\"") == 2);
  CHECK_THAT(text, Contains(R"("inputs":["random","sorted"])"));
}

TEST_CASE("a damaged work table is one line that names the field", "[work]") {
  const std::string good = to_json(table());
  struct Change {
    const char *from, *to, *says;
  };
  for (const auto& [from, to, says] :
       {Change{"fathom.work", "fathom.profile", "field 'schema'"},
        {"\"version\": 1", "\"version\": 2", "update fathom"},
        {"\"architecture\": 90", "\"architecture\": 1e9", "field 'architecture'"},
        {"\"alu\"", "\"ula\"", "demands[1]' is 'ula', must be 'alu'"},
        {"\"registers\":40", "\"registers\":-1", "kernels[0].registers"},
        {"\"registers\":40", "\"registers\":40.5", "kernels[0].registers"},
        {"\"check_error\":0.0125", "\"check_error\":null", "kernels[0].check_error"},
        {"\"constant\":[", "\"constant\":[1e300,", "kernels[0].constant"},
        {"\"constant\":[", "\"constant\":[1e999,", "out of range"},
        {"\"constant\":[", "\"constant\":[1,1,1,", "has more than "},
        {"\"per_element\":[", "\"per_element\":[\"x\",", "kernels[0].per_element"},
        {"\"kernels\":[0,1]", "\"kernels\":[0,7]", "rows[0].kernels[1]"},
        {"\"kernels\":[0,1]", "\"kernels\":[-1]", "rows[0].kernels[0]"},
        {"\"u64\"", "\"u65\"", "rows[0].type"},
        {"\"sorted\"", "\"unsorted\"", "rows[0].inputs[1]"},
        {"\"sorted\"", "\"random\"", "a second time"},
        {"\"E\":17", "\"E\":1e10", "rows[0].parameters.E"}})
    CHECK_THAT(error_of(replaced(good, from, to)), Contains(says));
  for (std::size_t size = 0; size + 1 < good.size(); size += 13)
    CHECK_THROWS_AS(parse_work_table(good.substr(0, size), "w.json"), FormatError);
}

TEST_CASE("a short work table that would take much memory is refused", "[work]") {
  const std::string good = to_json(table());
  const std::string name = "\"BlockSort\"", list = "\"unknown_opcodes\":[";
  CHECK_THAT(error_of(replaced(good, name, '"' + std::string(1001, 'x') + '"')),
             Contains("kernels[0].kernel' has more than 1000"));
  CHECK_THAT(error_of(replaced(good, list, list + '"' + std::string(41, 'X') + "\",")),
             Contains("more than 40 characters"));
  std::string opcodes, rows;
  for (int i = 0; i < 200; ++i) opcodes += "\"X\",";
  CHECK_THAT(error_of(replaced(good, list, list + opcodes)), Contains("more than 200 opcodes"));
  std::string zeros = "0";
  for (int i = 1; i < 100; ++i) zeros += ",0";
  for (int i = 0; i < 1000; ++i)
    rows += R"({"algorithm":"a","type":"u32","parameters":{"E":)" + std::to_string(i) +
            R"(},"inputs":["random"],"kernels":[)" + zeros + "]},";
  CHECK_THAT(error_of(replaced(good, "\"rows\": [", "\"rows\": [" + rows)),
             Contains("more than 100000 kernels"));
}

TEST_CASE("a work table holds one architecture and finite numbers", "[work]") {
  WorkTable mixed = table();
  mixed.rows[1].architecture = 80;
  CHECK_THROWS_AS(to_json(mixed), std::invalid_argument);
  WorkTable endless = table();
  endless.rows[0].kernels[0].constant.alu = 1.0 / 0.0;
  CHECK_THROWS_AS(to_json(endless), std::invalid_argument);
}

TEST_CASE("every row of the built-in tables is valid and found", "[work]") {
  for (const BuiltInText& text : built_in_work_tables()) {
    const WorkTable whole = parse_work_table(std::string(text.text), std::string(text.name));
    CHECK_THAT(std::string(text.name),
               Catch::Matchers::StartsWith("sm_" + std::to_string(whole.architecture)));
    std::size_t wrong = 0;
    for (const AlgorithmWork& row : whole.rows) {
      const auto found = built_in_work(row);
      if (!found || *found != row) ++wrong;
    }
    CHECK(wrong == 0);
  }
  CHECK_FALSE(built_in_work({"no-such-algorithm", ElementType::u32, {}, Input::random, 90}));
}
