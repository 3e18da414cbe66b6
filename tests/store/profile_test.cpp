// SPDX-License-Identifier: Apache-2.0
// Profiles as files.
#include "../support/links.h"
#include "../support/temporary_directory.h"
#include "json_text.h"

#include <fathom/store/profile.h>

#include <catch2/catch.hpp>

#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <regex>

using namespace fathom;
using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

namespace {

/// A profile with every field set and numbers that need all their digits.
DeviceProfile full_profile() {
  DeviceProfile profile;
  profile.name = "test";
  profile.origin = "measured";
  profile.provenance = {
      "Some GPU", "580.1", "13.0", "2026-01-02T03:04:05Z", "abc", "fathom calibrate -o \"x.json\""};
  profile.machine.name = "test";
  profile.machine.multiprocessors = 13;
  profile.machine.cores_per_multiprocessor = 128;
  profile.machine.clock = Hertz{1.0 / 3.0 * 1e10};
  profile.machine.global_memory = Bytes{8e9};
  profile.machine.l2_capacity = Bytes{5e7};
  profile.machine.limits.shared_bytes_per_multiprocessor = 98304;
  profile.machine.limits.shared_bytes_per_block = 49152;
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> somewhere(0.01, 0.9);
  for_each_constant(profile.machine, [&](std::string_view name, std::optional<double>& constant) {
    if (name == "l2.issue") return;  // one stays unknown
    const auto [lowest, highest] = constant_named(name).range;
    const double low = std::max(lowest, 1e-9);
    constant = low * std::pow(highest / low, somewhere(random)) * 1.1;
    Estimate estimate{*constant, Interval{*constant * 0.9, *constant * 1.1}};
    if (name == "kernel_gap") estimate.interval.reset();
    profile.estimates.emplace(name, estimate);
  });
  profile.quality["global"] = {0.04, 1.0 / 7, 8.1};
  profile.warnings = {"a \"quoted\" warning", "β is 3 × 2"};
  profile.series = {{"global-copy", {{"X", 0.25}, {"I", 2}}, "s", {1.25e-5, 2.5e-5}, 1.98e9, false},
                    {"chase-l1", {}, "clocks", {33.5}, 0, true}};
  profile.algorithms = {{.algorithm = "sort-pairwise",
                         .factors = {{1.05, Interval{1, 1.1}}, {0.1, {}}},
                         .covariance = {0.1, 0.05, 0.05, 1.0 / 3},
                         .residual = 0.03,
                         .runs = 120,
                         .dataset = "runs.json"}};
  return profile;
}

std::string error_of(const std::string& text) {
  return format_error_of([&] { parse_profile(text, "p.json"); });
}

/// A profile's text as that of another version of the file.
std::string with_version(const std::string& text, int version) {
  return std::regex_replace(text, std::regex("\"version\": [0-9]+"),
                            "\"version\": " + std::to_string(version),
                            std::regex_constants::format_first_only);
}

}  // namespace

TEST_CASE("a profile survives the round trip through JSON") {
  const DeviceProfile before = full_profile();
  const std::string text = to_json(before);
  const DeviceProfile after = parse_profile(text, "p.json");
  CHECK(to_json(after) == text);
  CHECK(after.machine.clock == before.machine.clock);
  CHECK(constants_of(after.machine) == constants_of(before.machine));
  REQUIRE(after.estimates.size() == before.estimates.size());
  for (const auto& [name, estimate] : before.estimates) {
    INFO(name);
    const Estimate& again = after.estimates.at(name);
    CHECK(again.value == estimate.value);
    REQUIRE(again.interval.has_value() == estimate.interval.has_value());
    if (again.interval) CHECK(again.interval->high == estimate.interval->high);
  }
  CHECK(after.warnings == before.warnings);
  REQUIRE(after.series.size() == 2);
  CHECK(after.series[0].coordinates == before.series[0].coordinates);
  CHECK(after.series[0].samples == before.series[0].samples);
  CHECK(after.series[1].clock_hz == 0);
  CHECK(after.series[1].clock_moved);
  REQUIRE(after.algorithms.size() == 1);
  const AlgorithmFit &fit = after.algorithms[0], &fit_before = before.algorithms[0];
  CHECK(fit.factors.work.value == 1.05);
  CHECK(fit.factors.work.interval->high == 1.1);
  CHECK_FALSE(fit.factors.waiting.interval);
  CHECK(std::tie(fit.factors.waiting.value, fit.residual, fit.runs, fit.dataset, fit.covariance) ==
        std::tie(fit_before.factors.waiting.value, fit_before.residual, fit_before.runs, fit_before.dataset,
                 fit_before.covariance));
}

TEST_CASE("links between GPUs survive the round trip, and a profile without them says nothing of them") {
  DeviceProfile before = full_profile();
  CHECK_THAT(to_json(before), !Catch::Contains("\"links\""));
  before.machine.links = tests::links();
  before.machine.links->curves.push_back({ExchangeKind::host_to_device, 1, 1e9, {{0, {8e-6}, {20e-12}}}});
  before.machine.links->curves.push_back({.kind = ExchangeKind::all_to_all,
                                          .gpus = 4,
                                          .most_bytes = 1e9,
                                          .ranges = {{0, {30e-6}, {20e-12}}},
                                          .hosts = 2});
  before.machine.links->pairs = {{0, 1, LinkType::nvlink}, {0, 2, LinkType::host}};
  before.machine.links->provenance = {.gpu = "Some GPU",
                                      .driver = "580.1",
                                      .toolkit = "13.0",
                                      .date = "2026-01-03T03:04:05Z",
                                      .commit = "abc",
                                      .command = "fathom calibrate --links"};
  const std::string text = to_json(before);
  const DeviceProfile after = parse_profile(text, "p.json");
  CHECK(to_json(after) == text);
  REQUIRE(after.machine.links);
  const Links& links = *after.machine.links;
  REQUIRE(links.curves.size() == tests::links().curves.size() + 2);
  CHECK(links.curves.back().hosts == 2);
  CHECK(links.curves[4].kind == ExchangeKind::host_to_device);
  CHECK(links.curves[4].gpus == 1);
  CHECK(links.curves[4].hosts == 1);
  CHECK(links.curves[1].gpus == 4);
  CHECK(links.curves[1].most_bytes == 1e9);
  CHECK(links.curves[0].ranges.at(1).latency.interval->high == Approx(18e-6));
  CHECK_FALSE(links.curves[3].ranges.at(0).per_byte.interval);
  CHECK(links.pairs.at(1).type == LinkType::host);
  CHECK(links.provenance.command == "fathom calibrate --links");
  for (const double bytes : {0.0, 1e6, 5e6})
    CHECK(exchange_time({ExchangeKind::all_to_all, bytes}, 3, links).seconds ==
          exchange_time({ExchangeKind::all_to_all, bytes}, 3, tests::links()).seconds);
}

TEST_CASE("links that cannot be are rejected with the field's path") {
  DeviceProfile profile = full_profile();
  profile.machine.links = tests::links();
  profile.machine.links->pairs = {{0, 1, LinkType::nvlink}};
  const Json good = Json::parse(to_json(profile));
  struct Spoilt {
    const char* pointer;
    Json value;
    const char* says;
  };
  for (const Spoilt& one : std::vector<Spoilt>{
           {"/links/exchanges/0/kind", "broadcast", "links.exchanges[0].kind': unknown exchange 'broadcast'"},
           {"/links/exchanges/0/gpus", 1, "links.exchanges[0].gpus' must be between 2 and"},
           {"/links/exchanges/1/gpus", 2, "links.exchanges[1]' is the second of all-to-all among 2 GPUs"},
           {"/links/exchanges/0/ranges", Json::array(), "links.exchanges[0].ranges' must have a range"},
           {"/links/exchanges/0/ranges/0/from_bytes", 8, "must be 0 in the first range"},
           {"/links/exchanges/0/ranges/1/from_bytes", 0, "must be larger than that of the range before"},
           {"/links/exchanges/0/ranges/1/latency/value_s", 16e-6, "must begin where the line"},
           {"/links/exchanges/0/ranges/0/latency/value_s", -1e-6, "must be between 0 and 10"},
           {"/links/exchanges/0/ranges/0/per_byte/value_s_per_byte", -1e-12, "must be between 0 and 0.001"},
           {"/links/exchanges/0/ranges/0/per_byte/interval_s_per_byte",
            {1, 2},
            "must be between 0 and 0.001"},
           {"/links/pairs/0/gpus", {0, 1, 2}, "links.pairs[0].gpus' must be the numbers of two GPUs"},
           {"/links/pairs/0/type", "rope", "links.pairs[0].type': unknown link 'rope'"}}) {
    Json spoilt = good;
    spoilt.at(Json::json_pointer(one.pointer)) = one.value;
    INFO(one.pointer);
    CHECK_THAT(error_of(spoilt.dump()), Catch::StartsWith("p.json: field '") && Catch::Contains(one.says));
  }
  const auto on_hosts = [&](std::size_t curve, int hosts) {
    Json spoilt = good;
    spoilt["links"]["exchanges"][curve]["hosts"] = hosts;
    return error_of(spoilt.dump());
  };
  CHECK_THAT(on_hosts(0, 3), Catch::Contains("links.exchanges[0].hosts' must be between 1 and 2"));
  CHECK_THAT(on_hosts(1, 3),
             Catch::Contains("links.exchanges[1].hosts' must have as many GPUs on each host"));
}

TEST_CASE("a fit is found by its algorithm") {
  const DeviceProfile profile = full_profile();
  REQUIRE(profile.find_fit("sort-pairwise"));
  CHECK(profile.find_fit("sort-pairwise")->runs == 120);
  CHECK(profile.find_fit("scan-matrix") == nullptr);
}

TEST_CASE(
    "fits of constants of formulas, as older versions wrote them, are refused, or dropped to be replaced") {
  Json old = Json::parse(to_json(full_profile()));
  old["algorithms"].push_back({{"algorithm", "scan-matrix"},
                               {"type", "u32"},
                               {"constants", {{"row_conflict", {{"value", 1.5}, {"interval", nullptr}}}}},
                               {"q", 2.5},
                               {"covariance", {0.1}},
                               {"residual_log", 0.03},
                               {"runs", 120},
                               {"dataset", "runs.json"}});
  for (int version : {1, 2}) {
    old["version"] = version;
    CHECK(
        error_of(old.dump()) ==
        "p.json: field 'algorithms[1]' is a fit of an older version, whose law is gone: replace all of them "
        "with fathom fit DATASETS `profile=FILE`");
    const DeviceProfile read = parse_profile(old.dump(), "p.json", OldFits::dropped);
    REQUIRE(read.algorithms.size() == 1);
    CHECK(read.algorithms[0].algorithm == "sort-pairwise");
  }
}

TEST_CASE("raw samples are stored with seven digits, one series per line, also below the normal range") {
  DeviceProfile profile = full_profile();
  profile.series[0].samples = {1.23456789e-5, 1e-310};
  const std::string text = to_json(profile);
  CHECK(parse_profile(text, "p").series[0].samples[0] == 1.234568e-5);
  CHECK(text.find("1e-310") != std::string::npos);
  CHECK(text.find("\n    {\"question\":\"chase-l1\"") != std::string::npos);
}

TEST_CASE("a profile that could not be read back is not written") {
  DeviceProfile profile = full_profile();
  profile.series[0].samples = {std::numeric_limits<double>::infinity()};
  CHECK_THROWS_AS(to_json(profile), std::invalid_argument);
  profile = full_profile();
  profile.machine.warp_start = -1;
  CHECK_THROWS_AS(to_json(profile), FormatError);
}

TEST_CASE("an invalid profile is rejected with one line that names the location") {
  const std::string good = to_json(full_profile());
  CHECK(error_of("{\n  \"schema\": oops\n}") == "p.json: line 2, column 13: not JSON");
  CHECK(error_of("") == "p.json: line 1, column 1: not JSON");
  CHECK_THAT(error_of(good.substr(0, good.size() / 2)), Catch::Contains("not JSON"));
  CHECK(error_of("[1]") == "p.json: must be an object");
  CHECK(error_of("{}") == "p.json: field 'schema' is missing");
  CHECK_THAT(error_of(with_version(good, 99)),
             Catch::Matchers::Matches("p.json: field 'version' is 99, newer than the [0-9]+ that this "
                                      "program reads: update fathom"));
  struct Spoilt {
    const char *from, *to, *says;
  };
  for (const Spoilt& one :
       {Spoilt{"fathom.profile", "fathom.dataset", "schema' is 'fathom.dataset', must be 'fathom.profile'"},
        {R"("threads_per_block")", R"("threads_in_block")", "machine.limits.threads_per_block' is missing"},
        {R"("shared.latency")", R"("shared.lateny")", "constants.shared.latency' is missing"},
        {R"("multiprocessors": 13)", R"("multiprocessors": "13")",
         "machine.multiprocessors' must be an integer"},
        {"[1.25e-05,", "[true,", "series[0].samples' must hold numbers, but [0] is not one"},
        {R"("origin": "measured")", R"("origin": "guessed")",
         "origin' must be 'measured', 'published', 'published rates' or 'scaled'"}})
    CHECK(error_of(replaced(good, one.from, one.to)) == std::string("p.json: field '") + one.says);
  CHECK_THAT(error_of(replaced(good, R"("value_bytes": )", R"("value_bytes": 1e999, "x": )")),
             Catch::Contains("out of range"));
}

TEST_CASE("a profile with values that no machine has is rejected with the field's path") {
  const Json good = Json::parse(to_json(full_profile()));
  struct Spoilt {
    const char* pointer;
    Json value;
    const char* says;
  };
  for (const Spoilt& one : std::vector<Spoilt>{
           {"/machine/multiprocessors", 0, "must be between 1 and 1048576"},
           {"/machine/limits/register_granularity", 0, "must be between 1 and 1048576"},
           {"/machine/limits/shared_bytes_per_multiprocessor", 5e-324,
            "must be between 1024 and 1000000000000"},
           {"/machine/clock_hz", 0, "must be between 1000000 and 100000000000"},
           {"/constants/global.bandwidth/value_words_per_clock_per_core", 0,
            "must be between 1e-08 and 1000"},
           {"/constants/launch_overhead/value_s", -1e-6, "must be between 0 and 10"},
           {"/constants/shared.latency/value_clocks", 1e308, "must be between 0.01 and 10000000"},
           {"/constants/shared.latency/interval_clocks",
            {1, 1e308},
            "holds 1e+308 at [1], must be between 0.01 and 10000000"},
           {"/algorithms/0/factors/work/value", 1e308, "must be between 0.001 and 1000"},
           {"/algorithms/0/covariance_log", {1, 2, 2, 1}, "must have no negative eigenvalue"},
           {"/algorithms/0/covariance_log", {1, 0.5, 0, 1}, "must be symmetric"},
           {"/algorithms/0/covariance_log", Json::array({1}),
            "must have four numbers: a row and a column for each factor"},
           {"/algorithms/0/residual_log", -1, "must be between 0 and 1000"},
           {"/series/0/samples", Json::array({1e300}),
            "holds 1e+300 at [0], must be between -1e+18 and 1e+18"}}) {
    Json spoilt = good;
    spoilt[Json::json_pointer(one.pointer)] = one.value;
    const std::string indexed = std::regex_replace(one.pointer + 1, std::regex("/([0-9]+)"), "[$1]"),
                      path = std::regex_replace(indexed, std::regex("/"), ".");
    CHECK(error_of(spoilt.dump()) == "p.json: field '" + path + "' " + one.says);
  }
}

TEST_CASE("a profile of an older version lacks the rates that are newer, one of the last must have each") {
  std::vector<std::string> rates;
  const Machine<double> any;
  for_each_rate(any, [&](std::string_view name, const auto&) { rates.emplace_back(name); });
  for (const auto& [version, newer] :
       {std::pair{1, rates}, {2, {"dram.resumed", "atomics.line", "atomics.kib", "atomics.64_kib"}}}) {
    Json without = Json::parse(to_json(full_profile()));
    for (const std::string& name : newer) without["constants"].erase(name);
    const std::string text = without.dump(2);
    CHECK(error_of(text) == "p.json: field 'constants." + newer.front() + "' is missing");
    const Machine<double> old = parse_profile(with_version(text, version), "p.json").machine;
    CHECK(old.kernel_gap);
    CHECK(old.rates.phase_decay.has_value() == (version == 2));
    for (const std::string& name : newer) CHECK_FALSE(constant_named(name).member.of(old));
    without["constants"]["dram.raed"] = nullptr;
    CHECK(error_of(with_version(without.dump(2), version)) ==
          "p.json: field 'constants.dram.raed' is no constant: did you mean 'dram.read'?");
  }
}

TEST_CASE("constants are in the unit that the field's name ends in") {
  const Json constants = Json::parse(to_json(full_profile()))["constants"];
  const std::map<std::string, std::vector<std::string>> names{
      {"value_per_clock", {"pipe.alu", "pipe.fma", "pipe.issue", "pipe.wavefronts", "pipe.barriers"}},
      {"value_bytes_per_s",
       {"dram.read", "dram.write", "dram.copy", "dram.copy_by_grid", "l2.read", "l2.write", "l2.copy"}},
      {"value_sectors_per_s",
       {"dram.scattered", "l2.scattered", "dram.resumed", "atomics.line", "atomics.kib", "atomics.64_kib"}}};
  for (const auto& [field, all] : names)
    for (const std::string& name : all) {
      INFO(name);
      CHECK(constants[name].contains(field));
    }
}

TEST_CASE("a profile tells the architecture of its GPU if it is known") {
  DeviceProfile profile = full_profile();
  profile.architecture = 90;
  const std::string text = to_json(profile);
  CHECK(parse_profile(text, "p.json").architecture == 90);
  CHECK_FALSE(
      parse_profile(replaced(text, "\"architecture\": 90", "\"architecture\": null"), "p.json").architecture);
  CHECK_FALSE(parse_profile(replaced(text, "\"architecture\": 90,", ""), "p.json").architecture);
  CHECK(error_of(replaced(text, "\"architecture\": 90", "\"architecture\": 9.5")).find("'architecture'") !=
        std::string::npos);
}

TEST_CASE("a document that is shaped to cost time or to mislead is rejected") {
  const std::string good = to_json(full_profile());
  CHECK(error_of(std::string(1 << 20, '[')) == "p.json: is nested deeper than 32 levels");
  CHECK(error_of(replaced(good, "\"quality\": {", "\"version\": 1, \"quality\": {")) ==
        "p.json: gives the member 'version' twice in one object");
  std::string wide = "{";
  for (int i = 0; i < 130000; ++i) wide += "\"" + std::to_string(i) + "\":0,";
  wide.back() = '}';
  CHECK(error_of(wide) == "p.json: has an object of more than 1000 members");
  std::string many = "[";
  for (int i = 0; i < 350000; ++i) many += "{},";
  many.back() = ']';
  CHECK(error_of(many) == "p.json: must be an object");  // within a fraction of a second
}

TEST_CASE("text that is not UTF-8 does not keep a profile from being written") {
  DeviceProfile profile = full_profile();
  profile.provenance.command = "fathom calibrate -o \xff.json";
  CHECK(parse_profile(to_json(profile), "p").provenance.command == "fathom calibrate -o \uFFFD.json");
}

TEST_CASE("a profile's file is replaced whole, and one that is not there is an error") {
  const tests::TemporaryDirectory directory;
  const fs::path file = directory / "p.json";
  const DeviceProfile profile = full_profile();
  for (int i = 0; i < 2; ++i) write_profile(profile, file);
  CHECK(to_json(read_profile(file)) == to_json(profile));
  CHECK(directory.files() == 1);  // no temporary file left
  for (const fs::path& wrong : {directory / "missing" / "p.json", directory.path()}) {
    CHECK_THROWS_AS(write_profile(profile, wrong), std::system_error);
    CHECK_THROWS_AS(read_profile(wrong), std::system_error);
  }
}

TEST_CASE("reasons not to believe a profile are kept in its file, and absent in those without any") {
  DeviceProfile profile = full_profile();
  const std::string believed = to_json(profile);
  CHECK(believed.find("implausible") == std::string::npos);
  CHECK(parse_profile(believed, "p.json").implausible.empty());

  profile.implausible = {"clock is missing", "12 of 30 series were disturbed"};
  const std::string doubtful = to_json(profile);
  CHECK(parse_profile(doubtful, "p.json").implausible == profile.implausible);
  CHECK(to_json(parse_profile(doubtful, "p.json")) == doubtful);
  // An older reader does not look for the field: the rest of the file is the same.
  const auto begin = doubtful.find(",\n  \"implausible\""), end = doubtful.find(",\n  \"series\"");
  REQUIRE(begin < end);
  CHECK(doubtful.substr(0, begin) + doubtful.substr(end) == believed);

  std::string wrong = doubtful;
  wrong.replace(wrong.find("\"clock is missing\""), 18, "17");
  CHECK(error_of(wrong).find("field 'implausible[0]' must be a string") != std::string::npos);
}
