// Predictions that were written down before a measurement: data/predictions/.
#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "run.h"

using nlohmann::json;

TEST_CASE("the predictions of the example's kernels are answers of predict, over all sizes") {
  const json file = json::parse(content(FATHOM_DATA "/predictions/h200-own-kernels.json"));
  CHECK(file["date"].get<std::string>().size() == 20);
  CHECK(file["commit"].get<std::string>().size() == 40);
  const Outcome outcome = run_fathom("predict sort-pairwise -n 2^20 --device h200 --json");
  const json answer = json::parse(outcome.out);
  std::map<std::pair<std::string, std::string>, std::vector<double>> times;
  for (const json& one : file["predictions"]) {
    INFO(one.dump());
    for (const auto& [name, value] : answer.items()) CHECK(one.contains(name));
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
  CHECK(times.size() == 5);
  for (const auto& [of, sweep] : times) CHECK(sweep.size() == 13);
}
