// SPDX-License-Identifier: Apache-2.0
// Tables of Nsight Compute, in both forms.
#include <fathom/store/launches/profiler_table.h>

#include <catch2/catch.hpp>

#include "../support/profiler_csv.h"
#include "json_text.h"

using namespace fathom;
using namespace fathom::tests;
using Catch::Matchers::Contains;

namespace {

std::string error_of(const std::string& text) {
  return format_error_of([&] { parse_profiler_csv(text, "mine.csv"); });
}

const std::string header = "\"ID\",\"Kernel Name\",\"a.sum\"\n";

}  // namespace

TEST_CASE("units are of bytes, seconds and hertz", "[profiler]") {
  struct Case {
    const char* unit;
    double factor;
  };
  for (const auto& [unit, factor] : {Case{"byte", 1},
                                     {"Kbyte", 1e3},
                                     {"Mbyte", 1e6},
                                     {"Gbyte", 1e9},
                                     {"Tbyte", 1e12},
                                     {"second", 1},
                                     {"msecond", 1e-3},
                                     {"usecond", 1e-6},
                                     {"nsecond", 1e-9},
                                     {"ms", 1e-3},
                                     {"us", 1e-6},
                                     {"ns", 1e-9},
                                     {"s", 1},
                                     {"hz", 1},
                                     {"Mhz", 1e6},
                                     {"Ghz", 1e9},
                                     {"MHz", 1e6},
                                     {"GHz", 1e9},
                                     {"cycle/nsecond", 1e9},
                                     {"cycle/usecond", 1e6},
                                     {"cycle/second", 1},
                                     {"Kbyte/block", 1e3},
                                     {"byte/block", 1},
                                     {"Gbyte/second", 1e9},
                                     {"register/thread", 1},
                                     {"%", 1},
                                     {"inst", 1},
                                     {"sector", 1},
                                     {"", 1},
                                     {"Kelvin", 1},
                                     {"m", 1}}) {
    INFO(unit);
    CHECK(unit_factor(unit) == Approx(factor));
  }
}

TEST_CASE("both forms of the table give the same launches", "[profiler]") {
  const std::vector launches{copy_columns(),
                             with(with(copy_columns(), "ID", "1"), "launch__grid_size", "2,000")};
  const auto wide = parse_profiler_csv(wide_csv(launches), "wide"),
             by_metric = parse_profiler_csv(long_csv(launches), "long");
  for (const auto* parsed : {&wide, &by_metric}) {
    REQUIRE(parsed->size() == 2);
    const ProfiledLaunch& first = parsed->front();
    CHECK(first.kernel == "void mine::copy<float>(const T1 *, T1 *, int)");
    CHECK(first.metric("launch__grid_size") == 1000.0);
    CHECK(parsed->back().metric("launch__grid_size") == 2000.0);
    CHECK(*first.metric("dram__bytes_read.sum") == Approx(32.1e6));
    CHECK(*first.metric("gpu__time_duration.sum") == Approx(20e-6));
    CHECK(*first.metric("launch__shared_mem_per_block_dynamic") == Approx(4100));
    CHECK(first.metric("sass__inst_executed_per_opcode") == 1600000.0);
    CHECK(first.metric("sass__inst_executed_per_opcode[BAR]") == 16000.0);
    CHECK(first.metric("sass__inst_executed_per_opcode[FFMA]") == 1334000.0);
    CHECK_FALSE(first.metric("sass__inst_executed_per_opcode[MUFU]"));
    CHECK(first.texts.at("device__attribute_display_name") == "NVIDIA H200");
    CHECK(first.texts.at("Grid Size") == "(500, 2, 1)");
  }
}

TEST_CASE("what a program and ncu print around the table is skipped", "[profiler]") {
  const std::string table = wide_csv({copy_columns()});
  for (const std::string& text :
       {"sum is 12, \"as expected\"\n==PROF== Connected to process 4711 (mine)\n" + table,
        table + "==PROF== Disconnected from process 4711\n", "\n\n" + table + "\n\n",
        replaced(table, "\n", "\r\n")})
    CHECK(parse_profiler_csv(text, "mine.csv").size() == 1);
}

TEST_CASE("a quoted field may have quotation marks, commas and lines", "[profiler]") {
  const auto launches =
      parse_profiler_csv(header + "\"\",\"\",\"\"\n\"0\",\"k<\"\"a, b\"\",\n1>\",\"1,234.5\"\n", "mine.csv");
  REQUIRE(launches.size() == 1);
  CHECK(launches.front().kernel == "k<\"a, b\",\n1>");
  CHECK(launches.front().metric("a.sum") == 1234.5);
}

TEST_CASE("what the profiler could not measure is no metric", "[profiler]") {
  for (const char* value : {"n/a", "", "nan", "inf", "1e999", "(!) n/a", "1 2", "0x10"}) {
    INFO(value);
    const auto launches =
        parse_profiler_csv(header + "\"\",\"\",\"\"\n\"0\",\"k\",\"" + value + "\"\n", "mine.csv");
    CHECK_FALSE(launches.front().metric("a.sum"));
  }
}

TEST_CASE("text that is no table of Nsight Compute is refused with the way out", "[profiler]") {
  struct Case {
    std::string text;
    const char* says;
  };
  const std::string units = "\"\",\"\",\"\"\n";
  for (const auto& [text, says] :
       {Case{"", "there is no table of Nsight Compute"},
        {"==ERROR== ERR_NVGPUCTRPERM\n", "there is no table of Nsight Compute"},
        // Another tool's: Nsight Systems
        {"Time (%),Total Time (ns),Instances,Name\n100.0,123,1,k\n", "print it with ncu --import"},
        {"\"ID\",\"Name\"\n\"0\",\"k\"\n", "line 1: the table has no column \"Kernel Name\""},
        {header, "line 1: the row of units is missing"},
        {header + "\"0\",\"k\",\"1\"\n", "line 2: the row of units is missing"},
        {header + units, "the table has no launches: no kernel was profiled"},
        {header + units + "==PROF== Disconnected\n", "no kernel was profiled"},
        {header + units + "\"0\",\"k\"\n", "line 3: has 2 fields, and the header 3"},
        {header + units + "\"0\",\"k\",\"1\",\"2\"\n", "line 3: has 4 fields, and the header 3"},
        {header + units + "\"0\",\"k\",\"1", "a quotation mark is not closed"},
        {"\"ID\",\"Kernel Name\",\"Metric Name\"\n\"0\",\"k\",\"a\"\n",
         "has no columns for units and values"},
        {"\"ID\",\"Kernel Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n", "has no launches"}}) {
    INFO(text);
    CHECK_THAT(error_of(text), Contains(says) && Contains("mine.csv"));
  }
}
