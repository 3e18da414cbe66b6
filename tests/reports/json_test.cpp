// SPDX-License-Identifier: Apache-2.0
// Answers as JSON: every key, null for what is unknown.
#include "samples.h"

#include <fathom/reports/json/bmf.h>
#include <fathom/reports/json/json.h>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace fathom;
using namespace fathom::reports;
using namespace nlohmann::literals;

namespace {

template <class... Answer>
nlohmann::json parsed(const Answer&... answer) {
  return nlohmann::json::parse(json(answer...));
}

/// 1 s: 0.7 of DRAM, 0.4 of ALU, 0.1 of launches, and 0.2 that overlap.
Prediction counted_second() {
  Prediction prediction = counted_prediction_of(1);
  prediction.bound = Bound{Resource::dram, 0.125};
  prediction.kernels = {{"MergeTiles", 4, 0.75, {Resource::dram, 0.375}}, {"Last", 1, 0.25, {{}, 0.125}}};
  return prediction;
}

PredictionReport published_report() {
  return {"sort-pairwise",
          "h200",
          LawName::published,
          {.n = 1e6, .parameters = {{"E", 15}, {"t", 128}}},
          prediction_of(0.75, 0.25)};
}

}  // namespace

TEST_CASE("a prediction by a formula as JSON") {
  PredictionReport report = published_report();
  report.reading = Law{LawName::published, Ceiling::always, {1.5}, {{"register-factor", 2}}};
  nlohmann::json expected = R"({
      "schema": "fathom.predict", "version": 1, "algorithm": "sort-pairwise", "device": "h200",
      "law": "published", "fitted_from": null, "what_if": [], "n": 1000000, "type": "u32", "input": "random",
      "reading": {"ceiling": "always", "compose": "1.5", "options": {"register-factor": 2}},
      "parameters": {"E": 15, "t": 128}, "time_s": 1.0, "interval_s": [0.9, 1.1], "throughput": 1e6,
      "terms": {"global_s": 0.75, "shared_s": 0.25, "register_s": null}, "bound": "global bandwidth",
      "saving": null, "kernels": [], "sensitivities": null,
      "phases": [{"name": "merge", "launches": 4.0, "level": "global", "accesses": 2e6, "time_s": 0.75,
                  "limited_by": "bandwidth"}]})"_json;
  CHECK(parsed(report) == expected);
  report.prediction.interval_s.reset();
  report.prediction.bottleneck.reset();
  report.problem.value_type = ElementType::u64;
  report.problem.stable = true;
  expected.update(R"({"interval_s": null, "bound": null, "type": "u32:u64", "stable": true})"_json);
  CHECK(parsed(report) == expected);
}

TEST_CASE("a prediction from counted work as JSON has a term for every resource, which add up to the time") {
  CHECK(parsed(PredictionReport{.algorithm = "sort-pairwise",
                                .device = "h200",
                                .law = LawName::counted,
                                .problem = {.n = 1e6, .parameters = {{"E", 15}}},
                                .prediction = counted_second(),
                                .input = Input::sorted,
                                .what_if = {"dram.bandwidth=1.5x"},
                                .sensitivities = std::vector<Sensitivity>{{"dram.read", -0.5}}}) == R"({
      "schema": "fathom.predict", "version": 1, "algorithm": "sort-pairwise", "device": "h200",
      "law": "counted", "reading": null, "fitted_from": null, "what_if": ["dram.bandwidth=1.5x"],
      "n": 1000000, "type": "u32",
      "input": "sorted", "parameters": {"E": 15}, "time_s": 1.0, "interval_s": [0.8, 1.25], "throughput": 1e6,
      "terms": {"dram_s": 0.7, "l2_s": 0.0, "shared_s": 0.0, "alu_s": 0.4, "fma_s": 0.0, "issue_s": 0.0,
                "in_flight_s": 0.0, "barriers_s": 0.0, "atomics_s": 0.0, "starts_s": 0.0, "waiting_s": 0.0,
                "link_s": 0.0, "overlap_s": -0.2, "launch_s": 0.1},
      "bound": "dram", "saving": {"time_s": 0.125, "share": 0.125}, "phases": [],
      "kernels": [{"name": "MergeTiles", "launches": 4.0, "time_s": 0.75, "bound": "dram",
                   "saving": {"time_s": 0.375, "share": 0.5}},
                  {"name": "Last", "launches": 1.0, "time_s": 0.25, "bound": "launches",
                   "saving": {"time_s": 0.125, "share": 0.5}}],
      "sensitivities": [{"constant": "dram.read", "value": -0.5}]})"_json);
}

TEST_CASE("predictions of several problems as JSON") {
  PredictionSweep sweep{.algorithm = "sort-pairwise", .law = LawName::counted};
  sweep.points = {
      {.device = "h200", .problem = {.n = 1e6, .parameters = {{"E", 15}}}, .prediction = counted_second()},
      {.device = "h200", .problem = {.n = 1e12, .parameters = {{"E", 15}}}, .why = "it is too large"}};
  CHECK(parsed(sweep) == R"({
      "schema": "fathom.predictions", "version": 1, "algorithm": "sort-pairwise", "law": "counted",
      "reading": null, "what_if": [], "input": "random",
      "points": [{"device": "h200", "n": 1000000, "type": "u32", "parameters": {"E": 15}, "time_s": 1.0,
                  "interval_s": [0.8, 1.25], "throughput": 1e6, "bound": "dram", "why_missing": null},
                 {"device": "h200", "n": 1000000000000, "type": "u32", "parameters": {"E": 15},
                  "time_s": null, "interval_s": null, "throughput": null, "bound": null,
                  "why_missing": "it is too large"}]})"_json);
}

TEST_CASE("a ranking as JSON, without and with measured times") {
  TuneReport report{.algorithm = "sort-pairwise",
                    .device = "h200",
                    .law = LawName::published,
                    .problem = {.n = 1e6, .type = ElementType::u64},
                    .reading = Law{LawName::published},
                    .choices = 3,
                    .without_work = 1,
                    .what_counts = "install it"};
  report.candidates = {{{{"E", 15}}, prediction_of(1, 0), {}}, {{{"E", 17}}, prediction_of(2, 0), {}}};
  nlohmann::json expected = R"({
      "schema": "fathom.tune", "version": 1, "algorithm": "sort-pairwise", "device": "h200",
      "law": "published", "fitted_from": null, "what_if": [], "n": 1000000, "type": "u64", "input": "random",
      "reading": {"ceiling": "as-printed", "compose": "sum", "options": {}},
      "best": null, "tied": null, "choices": 3, "without_work": 1, "estimated": 0, "what_counts": "install it", "fastest_measured": null, "regret": null,
      "sensitivities": null,
      "candidates": [{"parameters": {"E": 15}, "time_s": 1.0, "interval_s": [0.9, 1.1], "throughput": 1e6,
                      "bound": "global bandwidth", "saving": null, "tied": null, "estimated": false, "measured_s": null},
                     {"parameters": {"E": 17}, "time_s": 2.0, "interval_s": [1.8, 2.2], "throughput": 5e5,
                      "bound": "global bandwidth", "saving": null, "tied": null, "estimated": false, "measured_s": null}]})"_json;
  expected["best"] = expected["candidates"][0];
  CHECK(parsed(report) == expected);

  report.candidates[0].measured_s = 1.5;
  report.candidates[1].measured_s = 1;
  report.candidates.push_back({{{"E", 19}}, prediction_of(4, 0), {}});
  report.regret = 0.5;
  report.tied = 2;
  const nlohmann::json verified = parsed(report);
  CHECK(verified["regret"] == 0.5);
  CHECK(verified["fastest_measured"] == R"({"parameters": {"E": 17}, "measured_s": 1.0})"_json);
  CHECK(verified["tied"] == 2);
  CHECK(verified["best"] == verified["candidates"][0]);
  for (const std::size_t rank : {0, 1, 2}) CHECK(verified["candidates"][rank]["tied"] == (rank < 2));
  CHECK(verified["candidates"][2]["measured_s"].is_null());
}

TEST_CASE("algorithms are listed with kind, group, types and stability") {
  const nlohmann::json all = nlohmann::json::parse(json(all_algorithms())), listed = all["algorithms"];
  std::map<std::string, nlohmann::json> entries;
  for (const nlohmann::json& entry : listed) entries[entry["slug"]] = entry;
  nlohmann::json merge = entries.at("sort-pairwise");
  CHECK(merge["types"].front() == "u32");
  CHECK(merge["types"].back() == "u64:u64");
  CHECK(merge["parameters"][1] == R"({"name": "t", "meaning": "threads per block", "default": 256,
                                      "values": [64, 128, 256, 512]})"_json);
  merge.erase("types");
  CHECK(merge["other_defaults"].empty());
  CHECK(
      entries.at("radix-onesweep")["other_defaults"][0] ==
      R"({"most_n": 185000, "types": ["u32", "u64", "i32", "i64", "f32", "f64", "u32:u32", "u64:u32", "u64:u64"],
            "parameters": {"t": 256, "E": 8}})"_json);
  merge.erase("parameters");
  merge.erase("other_defaults");
  merge.erase("options");
  CHECK(merge ==
        R"({"slug": "sort-pairwise", "kind": "sort", "group": "sort/merge", "source": "karsin2018 §4.1",
                     "baseline": false, "formula": true, "kernel": true, "stable": true})"_json);
  CHECK(entries.at("sort-mms")["options"][0] == R"({
      "name": "register-factor", "default": 6, "values": [1, 2, 3, 4, 5, 6],
      "meaning": "register operations for each element that is merged, printed as 6"})"_json);
  CHECK(entries.at("sort-mms")["stable"] == false);
  CHECK(entries.at("scan-matrix")["stable"].is_null());
  CHECK(entries.at("cub-merge")["baseline"] == true);
  CHECK_FALSE(entries.contains("sort-gpus"));
  const nlohmann::json sort = all["on_several_gpus"][0];
  CHECK(sort["slug"] == "sort-gpus");
  CHECK(sort["kernel"] == true);
  CHECK(sort["formula"] == false);
  CHECK(sort["parameters"][0]["values"] == std::vector<int>{0, 1, 2});
}

TEST_CASE("a device without clock or bandwidth says null, never 0") {
  const nlohmann::json device = parsed(std::vector{device_entry(DeviceProfile(), "new.json")})["devices"][0];
  for (const char* key : {"origin", "gpu", "clock_hz", "global_memory_bytes", "global_bytes_per_second"}) {
    INFO(key);
    CHECK(device.at(key).is_null());
  }
}

TEST_CASE("runs that do not count are counted by reason") {
  ReportInput input = sample_input();
  std::vector<LawComparison>& comparisons = input.comparisons;
  LeftOut& left_out = comparisons[1].comparison.left_out;
  left_out.unchecked = 1;
  left_out.clock_moved = 2;
  left_out.not_predicted["a parameter is missing"] = 3;
  comparisons[0].comparison.other_gpu = true;
  comparisons[0].comparison.measured_on = "GPU A";
  const nlohmann::json found = parsed(comparisons)["comparisons"];
  CHECK(found[0]["measured_on"] == "GPU A");
  CHECK(found[0]["other_gpu"] == true);
  CHECK(found[1]["other_gpu"] == false);
  CHECK(found[1]["left_out"] == R"({"unchecked": 1, "clock_moved": 2, "unknown_algorithm": 0, "baselines": 0,
                                    "without_formula": 0, "not_predicted": {"a parameter is missing": 3},
                                    "fitted": 0})"_json);
  const nlohmann::json not_fitted =
      parsed(std::vector<AlgorithmFit>{}, NotFitted{.unchecked = 2, .beyond_most = 7})["not_fitted"];
  CHECK(not_fitted["unchecked"] == 2);
  CHECK(not_fitted["beyond_most"] == 7);
  CHECK(not_fitted["unknown_algorithm"] == 0);
}

TEST_CASE("predictions in Bencher's format are named after what they are of, in nanoseconds") {
  PredictionReport report = published_report();
  report.reading = Law{LawName::published, Ceiling::always, {1}, {}};
  report.input = Input::sorted;
  report.what_if = {"clock=2x"};
  CHECK(nlohmann::json::parse(bmf(report)) == R"({
      "sort-pairwise u32 n=1000000 E=15 t=128 input=sorted on h200, published, ceiling always, clock=2x":
        {"latency": {"value": 1e9, "lower_value": 9e8, "upper_value": 1.1e9}}})"_json);

  PredictionSweep sweep{.algorithm = "sort-pairwise", .law = LawName::counted};
  sweep.points = {{.device = "h200", .problem = report.problem, .prediction = counted_second()},
                  {.device = "m4000", .problem = report.problem, .why = "no rates"}};
  sweep.points[0].prediction->interval_s.reset();
  CHECK(nlohmann::json::parse(bmf(sweep)) ==
        R"({"sort-pairwise u32 n=1000000 E=15 t=128 on h200, counted": {"latency": {"value": 1e9}}})"_json);
  sweep.points.erase(sweep.points.begin());
  CHECK_THROWS_WITH(bmf(sweep), "no point has a prediction: no rates");
}

TEST_CASE("comparisons as JSON have the answers of each algorithm, and what is not compared") {
  TuneReport fast{.algorithm = "radix-msd", .device = "h200", .law = LawName::counted, .problem = {.n = 1e6}};
  fast.candidates = {{{{"E", 17}}, prediction_of(1, 0), {}}};
  TuneReport close = fast, slow = fast;
  close.algorithm = "sort-kway";
  close.candidates[0].prediction = prediction_of(1.01, 0);
  slow.candidates[0].prediction = prediction_of(2, 0);
  const nlohmann::json tuned = parsed(TuneRanking{{fast, close, slow}, {{"cub-radix", "a baseline"}}});
  CHECK(tuned["schema"] == "fathom.tune-ranking");
  CHECK(tuned["tunings"] == nlohmann::json{parsed(fast), parsed(close), parsed(slow)});
  CHECK(tuned["tied"] == 2);
  CHECK(tuned["left_out"] == R"([{"algorithm": "cub-radix", "why": "a baseline"}])"_json);
  fast.law = LawName::published;
  CHECK(parsed(TuneRanking{{fast, close}, {}})["tied"].is_null());

  const PredictionReport one{.algorithm = "radix-msd",
                             .device = "h200",
                             .law = LawName::counted,
                             .problem = {.n = 1e6},
                             .prediction = prediction_of(1, 0)};
  const nlohmann::json predicted = parsed(PredictionRanking{{one, one}, {}});
  CHECK(predicted["schema"] == "fathom.predict-ranking");
  CHECK(predicted["predictions"] == nlohmann::json{parsed(one), parsed(one)});
  CHECK(predicted["tied"] == 2);
  CHECK(predicted["left_out"] == nlohmann::json::array());
}
