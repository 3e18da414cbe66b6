// SPDX-License-Identifier: Apache-2.0
// Answers of fit, validate and plot, from the shipped datasets.
#include <catch2/catch.hpp>
#include <regex>
#include <set>

#include "run.h"

using Catch::Contains;

namespace {

const std::string data = FATHOM_DATA, profiles = FATHOM_PROFILES;

}  // namespace

TEST_CASE("a fit is its factors with intervals, and the runs that were not used") {
  const ScratchDirectory scratch;
  const std::string command =
      "fit " + data + "/h200/reduce-*.json --profile h200 -o " + scratch.file("p.json");
  const json fitted = answer(command);
  REQUIRE(fitted["fits"].size() == 5);
  for (const json& fit : fitted["fits"]) {
    for (const json& estimate : fit["factors"])
      CHECK((estimate["interval"][0] < estimate["value"] && estimate["value"] < estimate["interval"][1]));
    CHECK((fit["residual"] > 0 && fit["runs"] > 5));
    CHECK(fit["dataset"] == "reduce-grid.json, reduce-sizes.json");
  }
  CHECK(fitted["not_fitted"]["without_work"] == 0);
  CHECK_THAT(run_fathom(command).out, Contains("waiting") && Contains(" ± "));
}

TEST_CASE("validate compares fitted if the profile has fits") {
  const auto laws = [](const std::string& device) {
    return all_of(answer("validate " + data + "/h200-validation/scan.json --device " + device)["comparisons"],
                  "law");
  };
  CHECK(laws("h200") == std::set<std::string>{"counted", "fitted", "published"});
  const ScratchDirectory scratch;
  json profile = json::parse(content(profiles + "/h200.json"));
  profile["algorithms"] = json::array();
  write(scratch / "p.json", profile.dump());
  CHECK(laws(scratch.file("p.json")) == std::set<std::string>{"counted", "published"});
}

TEST_CASE("validate answers with a line per law and per algorithm, which pool the runs of all types") {
  const std::string command = "validate " + data + "/h200-validation/scan.json ";
  const json compared = answer(command)["comparisons"][0];
  double runs = 0, sum = 0;
  std::map<std::string, std::pair<double, double>> by_algorithm;
  for (const json& errors : compared["errors"]) {
    if (errors["group"] != "all") continue;
    const double of_type = errors["runs"].get<double>(),
                 error = of_type * errors["mean_absolute_relative_error"].get<double>();
    runs += of_type;
    sum += error;
    by_algorithm[errors["algorithm"]].first += of_type;
    by_algorithm[errors["algorithm"]].second += error;
  }
  double over_algorithms = 0;
  for (const auto& [algorithm, own] : by_algorithm)
    over_algorithms += own.second / own.first / double(by_algorithm.size());
  const std::string text = run_fathom(command).out;
  std::smatch row;
  REQUIRE(std::regex_search(text, row, std::regex(R"(counted +([\d.]+) % +(\d+) +([\d.]+) %)")));
  CHECK(std::stod(row[1]) == Approx(100 * over_algorithms).epsilon(0.005));
  CHECK(std::stod(row[2]) == runs);
  CHECK(std::stod(row[3]) == Approx(100 * sum / runs).epsilon(0.005));
}

TEST_CASE("plot machines counts only the algorithms that are named") {
  const ScratchDirectory scratch;
  const json drawn =
      answer("plot machines --device h200 --algorithm scan-interval -o " + scratch.file("m.svg"));
  CHECK(drawn["files"].size() > 5);
  for (const json& file : drawn["files"]) CHECK_THAT(file.get<std::string>(), Contains("m-scan-"));
}

TEST_CASE("the report shows one law, and another if it is named") {
  const ScratchDirectory scratch;
  const auto page = [&](const std::string& options) {
    const std::string file = scratch.file("r.html");
    answer("report --device h200 " + data + "/h200/reduce-sizes.json " + options + " -o " + file);
    return content(file);
  };
  CHECK_THAT(page(""), Contains("law counted; profile h200") && !Contains("predicted, published"));
  CHECK_THAT(page("--law published"), Contains("law published; profile h200"));
}

TEST_CASE("plot draws only the algorithms in the datasets") {
  const ScratchDirectory scratch;
  json dataset = json::parse(content(data + "/h200/scan-sizes.json")), runs = json::array();
  for (const json& run : dataset["runs"])
    if (run["algorithm"] == "scan-matrix" && run["type"] == "u32") runs.push_back(run);
  dataset["runs"] = runs;
  write(scratch / "runs.json", dataset.dump());
  const auto file = scratch / "scan.svg";
  const json drawn =
      answer("plot throughput " + scratch.file("runs.json") + " --device h200 -o " + file.string());
  CHECK(drawn["files"] == json{file.string()});
  CHECK_THAT(content(file), Contains("scan-matrix"));
}

TEST_CASE("validate and plot read the shipped datasets, which are of versions 1 and 2") {
  const auto version = [](const char* file) {
    return json::parse(content(data + "/h200/" + file))["version"];
  };
  REQUIRE(version("scan-sizes.json") == 1);
  REQUIRE(version("sort-sizes.json") == 2);
  const json compared = answer("validate " + data + "/h200/*.json")["comparisons"];
  REQUIRE(compared.size() == 3);
  CHECK(compared[0]["law"] == "counted");
  CHECK(compared[0]["left_out"]["not_predicted"].empty());  // the tables have the work of every run
  for (const json& of_law : compared) {
    CHECK(of_law["device"] == "h200");
    CHECK(of_law["runs"].size() > 8000);
    const std::set<std::string> algorithms = all_of(of_law["errors"], "algorithm");
    for (const char* slug : {"sort-pairwise", "scan-matrix", "reduce-vector"})
      CHECK(algorithms.contains(slug));
    CHECK_FALSE(of_law["regrets"].empty());
  }
  const ScratchDirectory scratch;
  CHECK(answer("plot parity " + data + "/h200/sort-*.json --law counted -o " +
               scratch.file("parity.svg"))["files"]
            .size() == 1);
}

TEST_CASE("a note says that a profile is of another GPU than the runs") {
  const ScratchDirectory scratch;
  const auto validate = [&](const std::string& device) {
    return run_fathom("plot tradeoff --law published --algorithm scan-matrix " + data +
                      "/h200/scan-grid.json -o " + scratch.file("x.svg") + device);
  };
  const std::string says =
      "fathom: note: the runs were measured on 'NVIDIA H200', the profile m4000 is of another GPU, 'Quadro "
      "M4000'\n";
  CHECK(validate(" --device m4000").err == says);
  CHECK(validate(" --device h200").err.empty());
  CHECK(validate("").err.empty());
}

TEST_CASE("a refit that loses a constant says which, its value, and why") {
  const ScratchDirectory scratch;
  json profile = json::parse(content(profiles + "/h200.json"));
  const auto refit = [&] {
    write(scratch / "p.json", profile.dump());
    return run_fathom("fit --refit --force --profile " + scratch.file("p.json") + " -o " +
                      scratch.file("new.json"));
  };
  CHECK(refit().err.empty());
  std::erase_if(profile["series"].get_ref<json::array_t&>(),
                [](const json& series) { return series["question"] == "launch-empty"; });
  const Outcome outcome = refit();
  INFO(outcome.err);
  CHECK(outcome.code == 0);
  CHECK(outcome.err.find("fathom: note: the new fit has no value for launch_overhead, which was ") == 0);
  CHECK(outcome.err.find(": launches: not fitted, launch-empty or launch-gap at two lengths is missing\n") !=
        std::string::npos);
  CHECK(outcome.err.find("no value for kernel_gap, which was ") != std::string::npos);
}

TEST_CASE("a trade-off can be drawn for any parameter") {
  const ScratchDirectory scratch;
  const json drawn =
      answer("plot tradeoff --device h200 --algorithm reduce-tree --parameter t -o " + scratch.file("t.svg"));
  REQUIRE(drawn["files"].size() == 4);  // bandwidth and multiplicity, for the H200 and for the published GPUs
  const std::string svg = content(drawn["files"][0].get<std::string>());
  CHECK(svg.find("reduce-tree over t: bandwidth") != std::string::npos);
  CHECK(svg.find("t, threads per block") != std::string::npos);
}

TEST_CASE("crossovers are drawn of sorts, or of what is named, and the first is the fastest by predict") {
  const ScratchDirectory scratch;
  const std::string plot = "plot crossover --device h200 -o " + scratch.file("c.svg");
  CHECK(answer(plot)["files"].size() == 3);  // u32, u64, u32:u32
  CHECK(answer(plot + " --algorithm scan")["files"].size() == 2);
  const json fastest = answer("predict scan -n 2^10 --device h200")["predictions"][0]["algorithm"];
  CHECK_THAT(content(scratch / "c-scan-u32.svg"), Contains("1 " + fastest.get<std::string>()));
  const Outcome mixed = run_fathom(plot + " --algorithm scan,sort");
  CHECK(mixed.code == 2);
  CHECK_THAT(mixed.err, Contains("scan and sort do different work"));
}

TEST_CASE("the papers' figures are drawn without runs, with a note of what to measure, and with them") {
  const ScratchDirectory scratch;
  const Outcome alone = run_fathom("plot papers --device h200 -o " + scratch.file("p.svg"));
  CHECK(alone.code == 0);
  CHECK(std::ranges::count(alone.out, '\n') == 10);
  CHECK(std::ranges::count(alone.err, '\n') == 5);
  CHECK_THAT(
      alone.err,
      Contains("sort-mms-shuffles over K: not measured on h200; to get it: fathom bench sort-mms-shuffles"));
  CHECK_THAT(content(scratch / "p-sort-pairwise-E.svg"),
             Contains("karsin2018 §4.1") && Contains("gtx770: best E = 16") && !Contains(">measured"));

  const Outcome measured =
      run_fathom("plot papers " + data + "/h200/sort-grid.json -o " + scratch.file("m.svg"));
  CHECK(std::ranges::count(measured.err, '\n') == 4);
  CHECK_THAT(content(scratch / "m-sort-pairwise-E.svg"), Contains("measured, quartiles: best E = "));
}

TEST_CASE("sorts are drawn over the sortedness of their input without runs") {
  const ScratchDirectory scratch;
  const json drawn = answer("plot inputs --device h200 --algorithm sort-warp --parameter sortedness -o " +
                            scratch.file("i.svg"));
  REQUIRE(drawn["files"].size() == 2);
  CHECK_THAT(content(drawn["files"][0].get<std::string>()),
             Contains("by sortedness: time, n = 2^") && Contains("predicted, published"));
  CHECK_THAT(content(drawn["files"][1].get<std::string>()), Contains("bank conflicts"));
}
