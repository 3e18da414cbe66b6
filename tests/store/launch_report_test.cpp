// SPDX-License-Identifier: Apache-2.0
#include <fathom/store/launches/launch_report.h>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "json_text.h"

using namespace fathom;
using Catch::Matchers::Contains;

namespace {

/// One launch with everything, and one with nothing but its name and shape.
LaunchReport report() {
  LaunchReport report;
  report.provenance.gpu = "NVIDIA H200";
  report.provenance.command = "fathom import mine.csv -o mine.work";
  report.architecture = 90;
  report.multiprocessors = 132;
  report.l2_bytes = 62914560;
  ReportedLaunch full{.kernel = "Merge", .blocks = 1e9, .threads_per_block = 192};
  double value = 1.25;
  for (const LaunchNumber& number : launch_numbers) full.*number.value = value *= 1.5;
  for (std::optional<double>& demand : full.demands) demand = value *= 1.1;
  full.warp = WarpClocks{
      .issuing = 1, .global = 0.1, .shared = 1e-9, .barriers = 0, .other = 1e6, .utilization = 0.75};
  report.launches = {full, {.kernel = "Bare", .blocks = 1, .threads_per_block = 1}};
  return report;
}

std::string error_of(const std::string& text) {
  return format_error_of([&] { parse_launch_report(text, "mine.work"); });
}

}  // namespace

TEST_CASE("launches of a report survive the round trip exactly, and what is absent stays so", "[launches]") {
  const LaunchReport expected = report();
  const std::string text = to_json(expected);
  const LaunchReport again = parse_launch_report(text, "again");
  CHECK(to_json(again) == text);
  CHECK(again.provenance.gpu == "NVIDIA H200");
  CHECK(again.architecture == 90);
  CHECK(again.multiprocessors == 132.0);
  CHECK(again.l2_bytes == 62914560.0);
  REQUIRE(again.launches.size() == 2);
  CHECK(again.launches[0] == expected.launches[0]);
  CHECK(again.launches[1] == expected.launches[1]);
  CHECK_FALSE(again.launches[1].measured_s);
  CHECK_FALSE(again.launches[1].warp);
  CHECK_FALSE(again.launches[1].demand(&Work::alu));

  const std::string old =
      replaced(text, "\"atomic_sectors\":", "\"lone_clocks\":529,\"steady_clocks\":null,\"atomic_sectors\":");
  CHECK(parse_launch_report(old, "old").launches == expected.launches);

  LaunchReport unknown = report();
  unknown.architecture.reset();
  unknown.l2_bytes.reset();
  CHECK_FALSE(parse_launch_report(to_json(unknown), "again").architecture);
  CHECK_FALSE(parse_launch_report(to_json(unknown), "again").l2_bytes);
}

TEST_CASE("a demand that a file does not name is absent, as those of later versions are", "[launches]") {
  auto json = nlohmann::json::parse(to_json(report()));
  json["launches"][0]["work"].erase("atomics");
  const LaunchReport again = parse_launch_report(json.dump(), "again");
  CHECK(again.launches.front().demand(&Work::alu));
  CHECK_FALSE(again.launches.front().demand(&Work::atomics));
}

TEST_CASE("a damaged file with launches is one line that names the field", "[launches]") {
  const std::string good = to_json(report());
  struct Change {
    const char *from, *to, *says;
  };
  for (const auto& [from, to, says] :
       {Change{"fathom.launches", "fathom.work", "field 'schema'"},
        {"\"version\": 1", "\"version\": 2", "update fathom"},
        {"\"architecture\": 90", "\"architecture\": 9", "field 'architecture'"},
        {"\"multiprocessors\": 132", "\"multiprocessors\": -1", "field 'multiprocessors'"},
        {"\"threads_per_block\":192", "\"threads_per_block\":2000", "launches[0].threads_per_block"},
        {"\"threads_per_block\":192", "\"threads_per_block\":0", "launches[0].threads_per_block"},
        {"\"blocks\":1000000000.0", "\"blocks\":0", "launches[0].blocks"},
        {"\"blocks\":1000000000.0", "\"blocks\":1.5", "launches[0].blocks"},
        {"\"registers\":", "\"rogisters\":", "launches[0].registers"},
        {"\"warp_clocks\":{", "\"warp_clocks\":[{", "not JSON"},
        {"\"utilization\":0.75", "\"utilization\":1.5", "launches[0].warp_clocks.utilization"},
        {"\"barriers\":0.0", "\"barriers\":null", "launches[0].warp_clocks.barriers"},
        {"\"alu\":", "\"ula\":", "launches[0].work.ula' is not a demand"},
        {"\"kernel\":\"Bare\"", "\"kernel\":7", "launches[1].kernel"}}) {
    INFO(from << " -> " << to);
    CHECK_THAT(error_of(replaced(good, from, to)), Contains(says) && Contains("mine.work"));
  }
  CHECK_THAT(error_of(replaced(good, "\"kernel\":\"Bare\"", "\"kernel\":\"" + std::string(1001, 'x') + '"')),
             Contains("launches[1].kernel' has more than 1000"));
  for (std::size_t size = 0; size + 1 < good.size(); size += 13)
    CHECK(error_of(good.substr(0, size)) != "no error");
}

TEST_CASE("a file without launches is refused", "[launches]") {
  LaunchReport none = report();
  none.launches.clear();
  CHECK_THAT(error_of(to_json(none)), Contains("'launches' must have a launch"));
}

TEST_CASE("numbers that are not finite are not written", "[launches]") {
  LaunchReport endless = report();
  endless.launches[1].measured_s = INFINITY;
  CHECK_THROWS_AS(to_json(endless), std::invalid_argument);
}

TEST_CASE("files with launches are known by their names", "[launches]") {
  CHECK(is_launch_report("mine.work"));
  CHECK(is_launch_report("/a/b.c/mine.work"));
  CHECK_FALSE(is_launch_report("mine.work.json"));
  CHECK_FALSE(is_launch_report(".work"));
  CHECK_FALSE(is_launch_report("sort-kway"));
}
