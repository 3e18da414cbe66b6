#include "json_text.h"

#include <fathom/model/constants.h>
#include <fathom/store/profile.h>

#include <catch2/catch.hpp>

#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <regex>

using namespace fathom;
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

struct TemporaryDirectory {
  fs::path path =
      fs::temp_directory_path() / ("fathom-profile-test-" + std::to_string(std::random_device()()));
  TemporaryDirectory() { fs::create_directory(path); }
  ~TemporaryDirectory() { fs::remove_all(path); }
};

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
  CHECK(after.estimates.size() == before.estimates.size());
  CHECK(after.estimates.at("global.latency").value == before.estimates.at("global.latency").value);
  CHECK(after.estimates.at("global.latency").interval->high ==
        before.estimates.at("global.latency").interval->high);
  CHECK_FALSE(after.estimates.at("kernel_gap").interval);
  CHECK(after.machine.at(Level::shared).bandwidth == before.machine.at(Level::shared).bandwidth);
  CHECK_FALSE(after.machine.at(Level::l2).issue);
  CHECK(after.warnings == before.warnings);
  REQUIRE(after.series.size() == 2);
  CHECK(after.series[0].coordinates == before.series[0].coordinates);
  CHECK(after.series[0].samples == before.series[0].samples);
  CHECK(after.series[1].clock_hz == 0);
  CHECK(after.series[1].clock_moved);
  REQUIRE(after.algorithms.size() == 1);
  CHECK(after.algorithms[0].factors.work.value == 1.05);
  CHECK(after.algorithms[0].factors.work.interval->high == 1.1);
  CHECK(after.algorithms[0].factors.waiting.value == 0.1);
  CHECK_FALSE(after.algorithms[0].factors.waiting.interval);
  CHECK(after.algorithms[0].residual == 0.03);
  CHECK(after.algorithms[0].runs == 120);
  CHECK(after.algorithms[0].dataset == "runs.json");
  CHECK(after.algorithms[0].covariance == before.algorithms[0].covariance);
}

TEST_CASE("a fit is found by its algorithm") {
  const DeviceProfile profile = full_profile();
  REQUIRE(profile.find_fit("sort-pairwise"));
  CHECK(profile.find_fit("sort-pairwise")->runs == 120);
  CHECK(profile.find_fit("scan-matrix") == nullptr);
}

TEST_CASE(
    "fits of constants of formulas, as older versions wrote them, are refused, or dropped to be replaced") {
  nlohmann::ordered_json old = nlohmann::ordered_json::parse(to_json(full_profile()));
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

TEST_CASE("raw samples are stored with seven digits, one series per line") {
  DeviceProfile profile = full_profile();
  profile.series[0].samples = {1.23456789e-5};
  const std::string text = to_json(profile);
  CHECK(parse_profile(text, "p").series[0].samples[0] == 1.234568e-5);
  CHECK(text.find("\n    {\"question\":\"chase-l1\"") != std::string::npos);
}

TEST_CASE("samples below the normal range of double are written") {
  DeviceProfile profile = full_profile();
  profile.series[0].samples = {1e-310};
  CHECK(to_json(profile).find("1e-310") != std::string::npos);
}

TEST_CASE("a number that JSON cannot represent is rejected, not written as null") {
  DeviceProfile profile = full_profile();
  profile.series[0].samples = {std::numeric_limits<double>::infinity()};
  CHECK_THROWS_AS(to_json(profile), std::invalid_argument);
}

TEST_CASE("an invalid profile is rejected with one line that names the location") {
  const std::string good = to_json(full_profile());
  CHECK(error_of("{\n  \"schema\": oops\n}") == "p.json: line 2, column 13: not JSON");
  CHECK(error_of("") == "p.json: line 1, column 1: not JSON");
  CHECK(error_of(good.substr(0, good.size() / 2)).find("not JSON") != std::string::npos);
  CHECK(error_of("[1]") == "p.json: must be an object");
  CHECK(error_of("{}") == "p.json: field 'schema' is missing");
  CHECK(error_of(replaced(good, "fathom.profile", "fathom.dataset")) ==
        "p.json: field 'schema' is 'fathom.dataset', must be 'fathom.profile'");
  CHECK_THAT(
      error_of(with_version(good, 99)),
      Catch::Matchers::Matches("p.json: field 'version' is 99, newer than the [0-9]+ that this program "
                               "reads: update fathom"));
  CHECK(error_of(replaced(good, "\"threads_per_block\"", "\"threads_in_block\"")) ==
        "p.json: field 'machine.limits.threads_per_block' is missing");
  CHECK(error_of(replaced(good, "\"shared.latency\"", "\"shared.lateny\"")) ==
        "p.json: field 'constants.shared.latency' is missing");
  CHECK(error_of(replaced(good, "\"multiprocessors\": 13", "\"multiprocessors\": \"13\"")) ==
        "p.json: field 'machine.multiprocessors' must be an integer");
  CHECK(error_of(replaced(good, "\"multiprocessors\": 13", "\"multiprocessors\": 0")) ==
        "p.json: field 'machine.multiprocessors' must be between 1 and 1048576");
  CHECK(error_of(replaced(good, "[1.25e-05,", "[true,")) ==
        "p.json: field 'series[0].samples' must hold numbers, but [0] is not one");
  CHECK(error_of(replaced(good, "\"origin\": \"measured\"", "\"origin\": \"guessed\"")) ==
        "p.json: field 'origin' must be 'measured', 'published' or 'published rates'");
  CHECK(
      error_of(replaced(good, "\"value_bytes\": ", "\"value_bytes\": 1e999, \"x\": ")).find("out of range") !=
      std::string::npos);
}

TEST_CASE("a profile with values that no machine has is rejected with the field's path") {
  const nlohmann::ordered_json good = nlohmann::ordered_json::parse(to_json(full_profile()));
  const auto error_with = [&](const char* pointer, const nlohmann::ordered_json& value) {
    nlohmann::ordered_json spoilt = good;
    spoilt[nlohmann::ordered_json::json_pointer(pointer)] = value;
    return error_of(spoilt.dump());
  };
  CHECK(error_with("/machine/limits/register_granularity", 0) ==
        "p.json: field 'machine.limits.register_granularity' must be between 1 and 1048576");
  CHECK(error_with("/machine/limits/shared_bytes_per_multiprocessor", 5e-324) ==
        "p.json: field 'machine.limits.shared_bytes_per_multiprocessor' must be between 1024 and "
        "1000000000000");
  CHECK(error_with("/constants/global.bandwidth/value_words_per_clock_per_core", 0) ==
        "p.json: field 'constants.global.bandwidth.value_words_per_clock_per_core' must be between 1e-08 and "
        "1000");
  CHECK(error_with("/constants/launch_overhead/value_s", -1e-6) ==
        "p.json: field 'constants.launch_overhead.value_s' must be between 0 and 10");
  CHECK(error_with("/constants/shared.latency/value_clocks", 1e308).find("constants.shared.latency") !=
        std::string::npos);
  CHECK(error_with("/constants/shared.latency/interval_clocks", {1, 1e308}) ==
        "p.json: field 'constants.shared.latency.interval_clocks' holds 1e+308 at [1], must be between 0.01 "
        "and 10000000");
  CHECK(error_with("/algorithms/0/factors/work/value", 1e308) ==
        "p.json: field 'algorithms[0].factors.work.value' must be between 0.001 and 1000");
  CHECK(error_with("/algorithms/0/covariance_log", {1, 2, 2, 1}) ==
        "p.json: field 'algorithms[0].covariance_log' must have no negative eigenvalue");
  CHECK(error_with("/algorithms/0/covariance_log", {1, 0.5, 0, 1}) ==
        "p.json: field 'algorithms[0].covariance_log' must be symmetric");
  CHECK(error_with("/algorithms/0/covariance_log", {1}) ==
        "p.json: field 'algorithms[0].covariance_log' must have four numbers: a row and a column for each "
        "factor");
  CHECK(error_with("/algorithms/0/residual_log", -1).find("algorithms[0].residual_log") != std::string::npos);
  CHECK(error_with("/machine/clock_hz", 0).find("machine.clock_hz") != std::string::npos);
  CHECK(error_with("/series/0/samples", {1e300}).find("series[0].samples") != std::string::npos);
}

TEST_CASE("a profile of version 1 has no rates, one of the last version must have each") {
  std::string text = to_json(full_profile());
  const Machine<double> machine;
  for_each_rate(machine, [&](std::string_view name, const auto&) {
    text = replaced(text, "\"" + std::string(name) + "\": {", "\"old-" + std::string(name) + "\": {");
  });
  CHECK(error_of(text) == "p.json: field 'constants.dram.read' is missing");
  const DeviceProfile old = parse_profile(with_version(text, 1), "p.json");
  CHECK_FALSE(old.machine.rates.dram_read);
  CHECK(old.machine.kernel_gap);
}

TEST_CASE("a profile of version 2 has all rates but those of sectors in parts and of atomics") {
  std::string text = to_json(full_profile());
  for (const char* name : {"dram.resumed", "atomics.line", "atomics.kib", "atomics.64_kib"})
    text = replaced(text, "\"" + std::string(name) + "\": {", "\"old-" + std::string(name) + "\": {");
  CHECK(error_of(text) == "p.json: field 'constants.dram.resumed' is missing");
  const DeviceProfile old = parse_profile(with_version(text, 2), "p.json");
  CHECK(old.machine.rates.phase_decay);
  CHECK_FALSE(old.machine.rates.dram_resumed);
  CHECK_FALSE(old.machine.rates.atomics_line);
}

TEST_CASE("the rates of pipes are per clock, whatever their names end in") {
  const auto constants = nlohmann::json::parse(to_json(full_profile()))["constants"];
  for (const char* name : {"pipe.alu", "pipe.fma", "pipe.issue", "pipe.wavefronts", "pipe.barriers"}) {
    INFO(name);
    CHECK(constants[name].contains("value_per_clock"));
  }
}

TEST_CASE("the rates of streams are in bytes, those of scattered accesses in sectors") {
  const auto constants = nlohmann::json::parse(to_json(full_profile()))["constants"];
  for (const char* name : {"dram.read", "dram.write", "dram.copy", "l2.read", "l2.write", "l2.copy"}) {
    INFO(name);
    CHECK(constants[name].contains("value_bytes_per_s"));
  }
  for (const char* name :
       {"dram.scattered", "l2.scattered", "dram.resumed", "atomics.line", "atomics.kib", "atomics.64_kib"}) {
    INFO(name);
    CHECK(constants[name].contains("value_sectors_per_s"));
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

TEST_CASE("a profile that could not be read back is not written") {
  DeviceProfile profile = full_profile();
  profile.machine.warp_start = -1;
  CHECK_THROWS_AS(to_json(profile), FormatError);
}

TEST_CASE("every constant of a machine has a physical range, which holds those of the shipped profiles") {
  for (const std::string& name : built_in_profiles()) {
    const Machine<double> machine = built_in_profile(name).machine;
    for_each_constant(machine, [&](std::string_view constant, const std::optional<double>& value) {
      CAPTURE(name, std::string(constant));
      const Range range = constant_named(constant).range;
      CHECK(range.lowest < range.highest);
      if (value) CHECK(range.holds(*value));
    });
  }
  CHECK_THROWS_AS(constant_named("global.colour"), std::invalid_argument);
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

TEST_CASE("a profile's file is replaced atomically") {
  const TemporaryDirectory directory;
  const fs::path file = directory.path / "p.json";
  const DeviceProfile profile = full_profile();
  write_profile(profile, file);
  write_profile(profile, file);
  CHECK(to_json(read_profile(file)) == to_json(profile));
  CHECK(std::distance(fs::directory_iterator(directory.path), {}) == 1);  // no temporary file left

  CHECK_THROWS_AS(write_profile(profile, directory.path / "missing" / "p.json"), std::system_error);
  CHECK_THROWS_AS(read_profile(directory.path / "missing.json"), std::system_error);
  CHECK_THROWS_AS(read_profile(directory.path), std::system_error);

  // A directory is in the file's place: nothing is written or left behind.
  fs::create_directory(directory.path / "taken.json");
  CHECK_THROWS_AS(write_profile(profile, directory.path / "taken.json"), std::system_error);
  CHECK(std::distance(fs::directory_iterator(directory.path), {}) == 2);
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

TEST_CASE("every shipped profile loads") {
  const auto names = built_in_profiles();
  for (const char* published : {"m4000", "gtx770", "k40m"})
    CHECK(std::find(names.begin(), names.end(), published) != names.end());
  for (const std::string& name : names) {
    const DeviceProfile profile = built_in_profile(name);
    INFO(name);
    CHECK(profile.name == name);
    CHECK(profile.machine.P() > 0);
    CHECK(profile.machine.M() > 0);
    const bool rates_alone = profile.origin == "published rates";
    for (Level level : {Level::global, Level::shared, Level::registers}) {
      CHECK((profile.machine.at(level).latency.value_or(0) > 0) != rates_alone);
      if (level != Level::shared || !rates_alone) CHECK(profile.machine.at(level).bandwidth.value() > 0);
    }
    CHECK(to_json(parse_profile(to_json(profile), name)) == to_json(profile));
  }
  CHECK_THROWS_WITH(built_in_profile("m400"), Catch::Contains("m4000"));
}

TEST_CASE("the profiles of published rates have those of merrill2010") {
  const auto rates = [](const char* name) {
    const Machine<double> machine = built_in_profile(name).machine;
    const double clocks = machine.P() * machine.clock.value;
    return std::pair(*machine.at(Level::registers).bandwidth * clocks,
                     4 * *machine.at(Level::global).bandwidth * clocks);
  };
  CHECK(rates("gtx285").first == Approx(354e9).epsilon(1e-4));
  CHECK(rates("gtx285").second == Approx(142.5e9).epsilon(1e-4));
  const std::map<const char*, double> pairs_per_second{
      {"gtx280", 428e6}, {"c1060", 330e6}, {"9800gtx", 165e6}, {"8800gtx", 116e6}};
  for (const auto& [name, rate] : pairs_per_second) {
    CHECK(rates(name).first == Approx(723 * rate).epsilon(1e-4));
    CHECK(rates(name).second == Approx(128 * 723 / 539.2 * rate).epsilon(1e-4));
  }
}

TEST_CASE("the published profiles contain the table of karsin2018") {
  const Machine<double> m4000 = built_in_profile("m4000").machine;
  CHECK(m4000.P() == 1664);
  CHECK(m4000.M() == 1248 * 1024 / 4);
  CHECK(m4000.clock == Hertz{780e6});
  CHECK(m4000.at(Level::global).bandwidth == 0.0301);
  CHECK(m4000.at(Level::shared).latency == 85.84);
  const Machine<double> gtx770 = built_in_profile("gtx770").machine;
  CHECK(gtx770.P() == 1536);
  CHECK(gtx770.M() == 512 * 1024 / 4);
  CHECK(gtx770.at(Level::shared).bandwidth == 0.130);
  const Machine<double> k40m = built_in_profile("k40m").machine;
  CHECK(k40m.P() == 2880);
  CHECK(k40m.M() == 960 * 1024 / 4);
  CHECK(k40m.at(Level::global).latency == 291.2);
  CHECK_FALSE(k40m.at(Level::l2).latency);
  CHECK_FALSE(k40m.launch_overhead);
}
