// SPDX-License-Identifier: Apache-2.0
// Tables of Nsight Compute: what parse_profiler_csv() and launch_report() accept is a file with launches that
// reads back, and what it lacks can be named.
#include <fathom/store/launches/profiler_metrics.h>
#include <fmt/format.h>

#include <cmath>

#include "fuzz.h"
#include "stored.h"

using namespace fathom;

namespace {

void check_round_trip(const LaunchReport& report) {
  constexpr std::size_t most_written = 2000;  // more take seconds under the sanitizers
  if (report.launches.size() > most_written) return;
  const std::string text = to_json(report);
  const LaunchReport again = parse_launch_report(text, "again");
  fuzz::expect(to_json(again) == text, "an imported report reads back the same");
  fuzz::expect(again.launches.size() == report.launches.size(), "no launch is lost");
}

void check(const LaunchReport& report) {
  fuzz::expect(!report.launches.empty(), "there is a launch");
  check_round_trip(report);
  const std::vector<Lacking> lacks = lacking(report);
  for (const Lacking& one : lacks) fuzz::expect(!one.metrics.empty(), "what is missing can be had");
  fuzz::expect(profiler_command(lacks).starts_with("ncu "), "and a command brings it");
}

constexpr std::string_view names = "\"ID\",\"Kernel Name\",\"launch__grid_size\",\"launch__block_size\"";
constexpr std::string_view launch = "\"0\",\"k\",\"1\",\"32\"";

std::string table(std::string_view header, std::string_view units, std::string_view rows) {
  return fmt::format("{}\n{}\n{}\n", header, units, rows);
}

std::string long_table(std::string_view rows) {
  return fmt::format("\"ID\",\"Kernel Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n{}", rows);
}

}  // namespace

std::vector<std::string> fuzz::large_inputs(std::size_t bytes) {
  constexpr std::string_view no_units = "\"\",\"\",\"\",\"\"";
  std::vector<std::string> inputs;
  for (const char* part :
       {"\"", "\"\"", ",", "\"\",", "\n", "\r\n", "\"ID\",", "\"ID\"\n", "x\n", "\"0\"\n"}) {
    inputs.push_back(repeated(part, bytes));
    inputs.push_back(table(names, no_units, repeated(part, bytes)));
    inputs.push_back(table(repeated(part, bytes), no_units, launch));
  }
  inputs.push_back(table(names, no_units, repeated(fmt::format("{}\n", launch), bytes)));
  for (const char* part : {"<", ">", "(", "::", "(anonymous namespace)", " ", "a"})
    inputs.push_back(table(names, no_units, fmt::format("\"0\",\"{}\",\"1\",\"32\"", repeated(part, bytes))));
  inputs.push_back(
      table(names, no_units, fmt::format("\"0\",\"k\",\"1\",\"({})\"", repeated("12, ", bytes))));
  const std::string instances = listed([](std::size_t i) { return fmt::format("O{}: {}; ", i, i); }, bytes);
  inputs.push_back(table(fmt::format("{},\"a\"", names), fmt::format("{},\"\"", no_units),
                         fmt::format("{},\"1 ({})\"", launch, instances)));
  std::string of_one_launch, of_many;
  for (std::size_t i = 0; of_many.size() < bytes; ++i) {
    of_one_launch += fmt::format("\"0\",\"k\",\"m{}\",\"byte\",\"1\"\n", i);
    of_many += fmt::format("\"{}\",\"k\",\"launch__grid_size\",\"\",\"1\"\n", i);
  }
  inputs.push_back(long_table(of_one_launch));
  inputs.push_back(long_table(of_many));
  return inputs;
}

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(fuzz::text_of(data, size));
  const auto report =
      fuzz::accepted([&] { return launch_report(parse_profiler_csv(text, "table"), "table"); });
  if (report) check(*report);
  return 0;
}
