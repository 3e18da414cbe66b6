// SPDX-License-Identifier: Apache-2.0
// The shipped hardware counters against the counts recorded with them and against counts made now.
#include <fmt/format.h>
#include <catch2/catch.hpp>
#include <map>

#include "run.h"

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
    for (const char* name : {"shared.load.accesses", "shared.load.wavefronts", "shared.store.accesses",
                             "shared.store.wavefronts"}) {
      INFO(recorded["algorithm"] << " n = " << recorded["n"] << ": " << name);
      CHECK(counted.at(name) == Approx(hardware.at(name)).epsilon(0.001));
    }
  }
}

TEST_CASE("counts made now equal those recorded with the hardware counters") {
  const json counters = hardware_file("counters.json");
  std::size_t compared = 0;
  for (const json& recorded : counters["cases"]) {
    if (recorded["n"] > 1 << 16) continue;  // only the small ones: this also runs under sanitizers
    ++compared;
    const json now = counted_now(recorded);
    REQUIRE(now["kernels"].size() == recorded["kernels"].size());
    for (std::size_t i = 0; i < now["kernels"].size(); ++i) {
      const json &kernel = now["kernels"][i], &then = recorded["kernels"][i];
      REQUIRE(kernel["kernel"] == then["kernel"]);
      INFO(recorded["algorithm"] << " " << then["kernel"]);
      for (const char* operation : {"load", "store"}) {
        const std::string of_global = fmt::format("global.{}.sectors", operation);
        const std::string of_shared = fmt::format("shared.{}.wavefronts", operation);
        CHECK(kernel["global"][operation]["sectors"] == then["counted"][of_global]);
        CHECK(kernel["shared"][operation]["wavefronts"] == then["counted"][of_shared]);
      }
    }
  }
  CHECK(compared > 0);
}

TEST_CASE("the contract's kernels make the accesses and wavefronts that an H200 counts") {
  const json counters = hardware_file("counters.json");
  std::size_t compared = 0;
  for (const json& each : counters["contract"]) {
    const std::string kernel = each["kernel"];
    // Two words at once are a loop of compare-and-swap, whose trips depend on chance; and the copy engine's
    // accesses are no instructions.
    const bool of_two_words =
        kernel.find("long long") != kernel.npos && kernel.find("Exchange") == kernel.npos;
    if (kernel.starts_with("CopyInStages") || kernel.starts_with("SingleCopy") || of_two_words) continue;
    for (const auto& [quantity, counted] : each["counted"].items()) {
      // An atomic's sectors are counted by the GPU at another place.
      if (!each["hardware"].contains(quantity) || quantity == "global.atomic.sectors") continue;
      INFO(kernel << ": " << quantity);
      CHECK(counted.get<double>() == Approx(each["hardware"][quantity].get<double>()).epsilon(0.001));
      ++compared;
    }
  }
  CHECK(compared > 300);
}

TEST_CASE("the smaller carve-out brings pairwise mergesort's slow tiles to within 2 % of their neighbours") {
  std::map<int, double> planned, left_to_driver;
  const json file = hardware_file("carveout.json");
  for (const json& run : file["runs"]) {
    planned[run["E"]] = run["planned"]["time_ms"];
    left_to_driver[run["E"]] = run["left_to_driver"]["time_ms"];
  }
  for (const int elements : {41, 42, 43, 47}) {
    INFO("E = " << elements);
    const int below = elements - 1, above = elements == 47 ? 46 : elements + 1;
    CHECK(planned.at(elements) < 1.02 * std::max(planned.at(below), planned.at(above)));
    CHECK(planned.at(elements) < 0.92 * left_to_driver.at(elements));
  }
}

// Predictions that were written down before a measurement: data/predictions/.
TEST_CASE("the predictions of the example's kernels are answers of predict, over all sizes") {
  const Outcome outcome = run_fathom("predict sort-pairwise -n 2^20 --device h200 --json");
  const json answer = json::parse(outcome.out);
  std::map<std::pair<std::string, std::string>, std::vector<double>> times;
  std::vector<json> predictions;
  for (const char* name : {"h200-own-kernels", "h200-own-kernels-2"}) {
    const json file = json::parse(content(FATHOM_DATA "/predictions/" + std::string(name) + ".json"));
    CHECK(file["date"].get<std::string>().size() == 20);
    CHECK(file["commit"].get<std::string>().size() == 40);
    predictions.insert(predictions.end(), file["predictions"].begin(), file["predictions"].end());
  }
  for (const json& one : predictions) {
    INFO(one.dump());
    for (const auto& [name, value] : one.items())
      CHECK(answer.contains(name));  // which may have got more since
    CHECK(one["device"] == "h200");
    CHECK(one["law"] == "counted");
    auto& sweep = times[{one["algorithm"], one["type"]}];
    CHECK(one["n"] == 1 << (16 + sweep.size()));
    const double time = one["time_s"];
    CHECK(one["interval_s"][0] < time);
    CHECK(time < one["interval_s"][1]);
    if (!sweep.empty()) CHECK(sweep.back() <= time);
    sweep.push_back(time);
  }
  CHECK(times.size() == 7);
  for (const auto& [of, sweep] : times) CHECK(sweep.size() == 13);
}
