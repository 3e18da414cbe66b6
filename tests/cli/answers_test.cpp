// What the commands answer. Texts are compared with tests/cli/golden/, every number masked: their values are
// tested where they are made. FATHOM_WRITE_GOLDEN=1 writes the files anew, for a look at the difference.
#include <catch2/catch.hpp>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "run.h"

using nlohmann::json;

namespace {

/// Numbers with their sign, point and exponent become #; what aligns them and their units does not count.
std::string masked(const std::string& text) {
  const std::string numbers = std::regex_replace(text, std::regex(R"(-?\d+(\.\d+)?(e[-+]?\d+)?)"), "#");
  const std::string units = std::regex_replace(numbers, std::regex(R"(# (s|ms|µs|ns)\b)"), "# TIME");
  return std::regex_replace(units, std::regex(R"( +|-{3,}|─+)"), " ");
}

void check_golden(const std::string& name, const std::string& arguments) {
  const Outcome outcome = run_fathom(arguments);
  INFO("fathom " << arguments << "\n" << outcome.err);
  REQUIRE(outcome.code == 0);
  const std::filesystem::path file = std::filesystem::path(FATHOM_GOLDEN) / (name + ".txt");
  if (std::getenv("FATHOM_WRITE_GOLDEN")) write(file, masked(outcome.out));
  CHECK(masked(outcome.out) == content(file));
}

json answer(const std::string& arguments) {
  const Outcome outcome = run_fathom(arguments + " --json");
  INFO("fathom " << arguments << "\n" << outcome.err);
  REQUIRE(outcome.code == 0);
  return json::parse(outcome.out);
}

std::set<std::string> keys(const json& object) {
  std::set<std::string> names;
  for (const auto& [name, value] : object.items()) names.insert(name);
  return names;
}

const std::string on_m4000 = " --device m4000 --law published ";

}  // namespace

TEST_CASE("answers in words") {
  check_golden("predict", "predict sort-pairwise -n 1e8" + on_m4000);
  check_golden("tune", "tune sort-pairwise -n 1e8 --top 3" + on_m4000);
}

TEST_CASE("every command's help says how it is called") {
  for (const char* command : {"devices", "algorithms", "calibrate", "predict", "tune", "bench", "fit",
                              "validate", "plot", "report"}) {
    INFO(command);
    const Outcome outcome = run_fathom(std::string(command) + " --help");
    CHECK(outcome.code == 0);
    CHECK(outcome.out.find(std::string("Example: fathom ") + command) != std::string::npos);
    CHECK(outcome.out.find("--json") != std::string::npos);
  }
}

TEST_CASE("a prediction in JSON has every field that programs read") {
  const json prediction = answer("predict -n 2^20 --set E=15 --set t=128 sort-pairwise" + on_m4000);
  for (const char* key : {"schema", "version", "algorithm", "device", "law", "n", "type", "parameters",
                          "time_s", "interval_s", "throughput", "terms", "bound", "phases"})
    CHECK(prediction.contains(key));
  CHECK(prediction["algorithm"] == "sort-pairwise");
  CHECK(prediction["device"] == "m4000");
  CHECK(prediction["law"] == "published");
  CHECK(prediction["n"] == 1048576);
  CHECK(prediction["parameters"] == json{{"E", 15}, {"t", 128}});
  CHECK(prediction["time_s"].get<double>() > 0);
  CHECK(keys(prediction["terms"]) ==
        std::set<std::string>{"global_s", "l2_s", "shared_s", "register_s", "launch_s"});
  CHECK(prediction["terms"]["l2_s"].is_null());  // no such term under this law: unknown, not 0
  for (const json& phase : prediction["phases"])
    for (const char* key : {"name", "launches", "level", "accesses", "time_s", "limited_by"})
      CHECK(phase.contains(key));
}

TEST_CASE("n may be written in any of its forms") {
  const auto time = [](const std::string& n) {
    return answer("predict scan-matrix -n " + n + on_m4000)["time_s"].get<double>();
  };
  CHECK(time("1048576") == time("2^20"));
  CHECK(time("1000000") == time("1e6"));
}

TEST_CASE("the composition rule and the ceiling can be chosen") {
  const auto time = [](const std::string& rule) {
    return answer("predict sort-pairwise -n 1e8" + on_m4000 + rule)["time_s"].get<double>();
  };
  CHECK(time("--compose max") < time("--compose 2"));
  CHECK(time("--compose 2") < time("--compose sum"));
  CHECK(time("--ceiling never") <= time("--ceiling always"));
}

TEST_CASE("tune ranks every choice, fastest first, and keeps to what --set says") {
  const json tuned = answer("tune sort-pairwise -n 1e8 --top 0 --set t=128" + on_m4000);
  REQUIRE(tuned["candidates"].size() > 10);
  double before = 0;
  for (const json& candidate : tuned["candidates"]) {
    CHECK(candidate["parameters"]["t"] == 128);
    CHECK(candidate["time_s"].get<double>() >= before);
    before = candidate["time_s"];
  }
  CHECK(tuned["best"]["parameters"] == tuned["candidates"][0]["parameters"]);
  CHECK(tuned["regret"].is_null());
}

TEST_CASE("-o puts the answer into a file and nothing on stdout") {
  const ScratchDirectory scratch;
  const auto file = scratch / "prediction.json";
  const Outcome outcome = run_fathom("predict sort-pairwise -n 1e6 --json -o " + file.string() + on_m4000);
  CHECK(outcome.code == 0);
  CHECK(outcome.out.empty());
  CHECK(json::parse(content(file))["schema"] == "fathom.predict");
}

TEST_CASE("devices lists the published GPUs") {
  std::set<std::string> names;
  const json devices = answer("devices");
  CHECK(devices.contains("schema"));
  for (const json& device : devices["devices"]) names.insert(device["name"]);
  for (const char* name : {"m4000", "gtx770", "k40m"}) CHECK(names.contains(name));
}

TEST_CASE("algorithms lists what the registry holds, formulas without a kernel included") {
  std::set<std::string> slugs;
  const json listed = answer("algorithms");
  for (const json& algorithm : listed["algorithms"]) slugs.insert(algorithm["slug"]);
  for (const char* slug :
       {"sort-pairwise", "sort-multiway", "sort-mms", "scan-matrix", "cub-merge", "cub-scan"})
    CHECK(slugs.contains(slug));
}
