// The shipped hardware counters against the counts recorded with them and against counts made now.
#include <fmt/format.h>
#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>

#include "run.h"

using nlohmann::json;

namespace {

json hardware_file(const char* name) {
  return json::parse(content(std::filesystem::path(FATHOM_DATA) / "h200/hardware" / name));
}

/// Sums over all kernels of a case, by quantity.
std::map<std::string, double> totals(const json& recorded, const char* side) {
  std::map<std::string, double> sums;
  for (const json& kernel : recorded["kernels"])
    for (const auto& [quantity, value] : kernel[side].items()) sums[quantity] += value.get<double>();
  return sums;
}

json counted_now(const json& recorded) {
  std::string arguments =
      fmt::format("count {} -n {} --device h200 --json", recorded["algorithm"].get<std::string>(),
                  recorded["n"].get<long long>());
  for (const auto& [name, value] : recorded["parameters"].items())
    arguments += fmt::format(" --set {}={}", name, value.get<int>());
  const Outcome outcome = run_fathom(arguments);
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  return json::parse(outcome.out);
}

/// Some kernels were renamed since the counters were recorded. The file keeps the recorded names.
std::string name_now(const std::string& recorded) {
  static const std::map<std::string, std::string> renamed{
      {"SortTiles", "BlockSort"}, {"PartitionRuns", "MergePathPartition"}, {"ScanSums", "SpineScan"}};
  const auto found = renamed.find(recorded);
  return found == renamed.end() ? recorded : found->second;
}

}  // namespace

TEST_CASE("counted sectors, accesses and wavefronts agree with an H200's counters") {
  const json counters = hardware_file("counters.json");
  REQUIRE(counters["schema"] == "fathom.counters");
  REQUIRE(counters["cases"].size() == 8);
  for (const json& recorded : counters["cases"]) {
    const auto counted = totals(recorded, "counted"), hardware = totals(recorded, "hardware");
    for (const char* memory : {"global.load", "global.store"})
      for (const char* quantity : {"accesses", "sectors"}) {
        const std::string name = fmt::format("{}.{}", memory, quantity);
        INFO(recorded["algorithm"] << " n = " << recorded["n"] << ": " << name);
        CHECK(counted.at(name) == Approx(hardware.at(name)).epsilon(0.01));
      }
    for (const char* name :
         {"shared.load.accesses", "shared.load.slots", "shared.store.accesses", "shared.store.slots"}) {
      INFO(recorded["algorithm"] << " n = " << recorded["n"] << ": " << name);
      CHECK(counted.at(name) == Approx(hardware.at(name)).epsilon(0.001));
    }
  }
}

TEST_CASE("counts made now equal those recorded with the hardware counters") {
  const json counters = hardware_file("counters.json");
  for (const json& recorded : counters["cases"]) {
    if (recorded["n"] > 1 << 16) continue;  // only the small ones: this also runs under sanitizers
    const json now = counted_now(recorded);
    REQUIRE(now["kernels"].size() == recorded["kernels"].size());
    for (std::size_t i = 0; i < now["kernels"].size(); ++i) {
      const json &kernel = now["kernels"][i], &then = recorded["kernels"][i];
      REQUIRE(kernel["kernel"] == name_now(then["kernel"]));
      INFO(recorded["algorithm"] << " " << then["kernel"]);
      for (const char* operation : {"load", "store"}) {
        const std::string of_global = fmt::format("global.{}.sectors", operation);
        const std::string of_shared = fmt::format("shared.{}.slots", operation);
        CHECK(kernel["global"][operation]["sectors"] == then["counted"][of_global]);
        CHECK(kernel["shared"][operation]["slots"] == then["counted"][of_shared]);
      }
    }
  }
}

TEST_CASE("the recorded cost of the block contract is at most 1 %") {
  const json cost = hardware_file("contract-cost.json");
  REQUIRE(cost["schema"] == "fathom.contract-cost");
  CHECK(cost["contract_s"].get<double>() <= 1.01 * cost["plain_s"].get<double>());
  CHECK(cost["contract_registers"] == cost["plain_registers"]);
}
