// SPDX-License-Identifier: Apache-2.0
// Files of other tools as measured runs, and predictions for other tools.
#include "run.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>

using Catch::Matchers::Contains;

namespace {

/// Predicted times of sort-pairwise, in seconds, by E and t.
std::map<std::pair<int, int>, double> predicted_times() {
  std::map<std::pair<int, int>, double> times;
  const json sweep =
      answer("predict sort-pairwise -n 2^22 --set E=11,15,17 --set t=128,256,512 --device h200");
  for (const json& point : sweep["points"])
    times[{point["parameters"]["E"], point["parameters"]["t"]}] = point["time_s"];
  return times;
}

/// A cache in which the kernel takes the predicted times, in milliseconds, each so many times as long as
/// `slower` says.
template <class Slower>
std::string cache_of(Slower slower) {
  std::string configurations;
  for (const auto& [choice, seconds] : predicted_times()) {
    const auto [e, t] = choice;
    configurations +=
        fmt::format(R"({}"{},{}":{{"E":{},"block_size_x":{},"time":{}}})", configurations.empty() ? "" : ",",
                    e, t, e, t, seconds * 1e3 * slower(e, t));
  }
  return fmt::format(R"({{"device_name":"NVIDIA H200","kernel_name":"merge_sort","problem_size":4194304,)"
                     R"("tune_params_keys":["E","block_size_x"],"tune_params":{{}},"cache":{{{},)"
                     R"("99,128":{{"E":99,"block_size_x":128,"time":"InvalidConfig"}}}}}})",
                     configurations);
}

std::string google(const std::vector<std::string>& benchmarks) {
  std::string records;
  for (const std::string& name : benchmarks)
    records += fmt::format(
        R"({}{{"name":"{}","run_name":"{}","run_type":"iteration","real_time":1.0,"time_unit":"ms"}})",
        records.empty() ? "" : ",", name, name);
  return fmt::format(R"({{"context":{{"executable":"./bench"}},"benchmarks":[{}]}})", records);
}

json counted_law(const json& answer) {
  for (const json& one : answer["comparisons"])
    if (one["law"] == "counted") return one;
  return {};
}

const std::string merge_sort =
    " --read-as merge_sort=sort-pairwise --read-as block_size_x=t --read-as type=u32";

}  // namespace

TEST_CASE("validate tells the regret of our choice in a tuner's cache") {
  const ScratchDirectory scratch;
  const auto times = predicted_times();
  const auto picked = std::ranges::min_element(times, {}, [](const auto& one) { return one.second; })->first;
  write(scratch / "same.json", cache_of([](int, int) { return 1.0; }));
  // What is picked took twice as long as predicted, so that another is the best, unless all others are
  // slower.
  write(scratch / "other.json",
        cache_of([&](int e, int t) { return std::pair(e, t) == picked ? 2.0 : 1.0; }));

  const json same = counted_law(answer("validate " + scratch.file("same.json") + " --vouch" + merge_sort));
  REQUIRE(same["regrets"].size() == 1);
  CHECK(same["regrets"][0]["regret"].get<double>() == Approx(0).margin(1e-6));
  CHECK(same["regrets"][0]["picked"]["t"] == picked.second);

  const json other = counted_law(answer("validate " + scratch.file("other.json") + " --vouch" + merge_sort));
  auto rest = times;
  rest.at(picked) *= 2;
  const double best = std::ranges::min_element(rest, {}, [](const auto& one) { return one.second; })->second;
  REQUIRE(best < rest.at(picked));
  REQUIRE(other["regrets"].size() == 1);
  CHECK(other["regrets"][0]["regret"].get<double>() == Approx(rest.at(picked) / best - 1));
}

TEST_CASE("runs of another tool count only if the user vouches for them, and a note says so") {
  const ScratchDirectory scratch;
  write(scratch / "b.json",
        google({"BM_sort_pairwise<uint32_t>/n:1048576/E:15/t:256", "BM_mine/1024", "broken"}));
  const std::string command = "validate --device h200 --json " + scratch.file("b.json");
  const Outcome unchecked = run_fathom(command), vouched = run_fathom(command + " --vouch");
  CHECK_THAT(unchecked.err, Contains("2 runs of Google Benchmark never checked here"));
  CHECK_THAT(unchecked.err, Contains("with --vouch you say that their outputs were right"));
  CHECK_THAT(unchecked.err,
             Contains("left out 1 run whose n the file does not say; say what is n with --read-as NAME=n"));
  CHECK_THAT(unchecked.err, Contains("no algorithm is called BM_mine"));
  CHECK_THAT(vouched.err, Contains("you vouch for"));
  const json before = counted_law(json::parse(unchecked.out)), after = counted_law(json::parse(vouched.out));
  CHECK(before["left_out"]["unchecked"] == 1);
  CHECK(before["left_out"]["unknown_algorithm"] == 1);
  CHECK(after["left_out"]["unchecked"] == 0);
  CHECK(after.at("errors").size() > 0);
}

TEST_CASE("runs of another tool can be read as those of an algorithm of any list, and of its parameters") {
  const ScratchDirectory scratch;
  write(scratch / "b.json", google({"BM_mine/copies:16/n:1024"}));
  const std::string file = scratch.file("b.json"),
                    on_h200 = " --vouch --device h200 --read-as BM_mine=", parameter = " --read-as copies=";
  for (const auto& [slug, name] : {std::pair("sort-host", "parts"), {"sort-gpus", "pieces"}}) {
    const Outcome outcome = run_fathom("validate " + file + on_h200 + slug + parameter + name);
    INFO(outcome.err);
    CHECK(outcome.code == 0);
    CHECK_THAT(outcome.err, !Contains("no algorithm is called"));
  }
}

TEST_CASE("a fit does not take algorithms of other lists for unknown ones") {
  const ScratchDirectory scratch;
  write(scratch / "b.json", google({"BM_mine/n:1024"}));
  const Outcome outcome = run_fathom("fit " + scratch.file("b.json") + " --vouch --profile h200 -o " +
                                     scratch.file("never.json") + " --read-as BM_mine=sort-host");
  CHECK(outcome.code == 1);
  CHECK_THAT(outcome.err, Contains("nothing was fitted") && !Contains("unknown"));
}

TEST_CASE("what --read-as says must be something, and used") {
  const ScratchDirectory scratch;
  write(scratch / "b.json", google({"BM_mine/1024"}));
  write(scratch / "none.json", google({"BM_mine"}));
  const std::string data = FATHOM_DATA "/h200/reduce-sizes.json";
  const struct {
    std::string arguments;
    int code;
    std::string says;
  } rows[] = {
      {"b.json --read-as BM_mine", 2, "--read-as 'BM_mine': write NAME=MEANING"},
      {"b.json --read-as BM_mine=sort-pairwis", 2,
       "unknown algorithm 'sort-pairwis': did you mean 'sort-pairwise'?"},
      {"b.json --read-as BM_min=sort-pairwise", 2, "no file has 'BM_min': did you mean 'BM_mine'?"},
      {"b.json --read-as n=2^20", 2, "no run of another tool lacks n: omit it"},
      {"b.json --read-as BM_mine=sort-pairwise --read-as BM_mine=sort-kway", 2,
       "'BM_mine' is explained twice"},
      {"b.json", 1, "the runs do not say on which GPU they were measured: choose its profile with --device"},
      {"none.json", 1, "left out 1 run whose n the file does not say"}};
  for (const auto& row : rows) {
    INFO(row.arguments);
    const Outcome outcome = run_fathom("validate " + scratch.path().string() + '/' + row.arguments);
    CHECK(outcome.code == row.code);
    CHECK_THAT(outcome.err, Contains(row.says));
    CHECK(outcome.out.empty());
  }
  check_refused("validate " + data + " --read-as a=n", 2, "no file of another tool is given: omit it");
}

TEST_CASE("a measured series of any name is drawn") {
  const ScratchDirectory scratch;
  write(scratch / "b.json", google({"BM_mine/1024", "BM_mine/4096"}));
  const Outcome outcome =
      run_fathom("plot throughput " + scratch.file("b.json") + " --device h200 -o " + scratch.file("c.svg"));
  if (outcome.err.find("gnuplot was not found") != std::string::npos) return;
  CHECK(outcome.code == 0);
  CHECK_THAT(content(scratch / "c.svg"), Contains("BM_mine u32 on h200"));
}

TEST_CASE("files of other tools are compared, and no answer replaces them") {
  const ScratchDirectory scratch;
  for (const char* file : {"a.json", "b.json"}) write(scratch / file, google({"BM_mine/1024"}));
  const Outcome outcome = run_fathom("report --compare " + scratch.file("a.json") + " " +
                                     scratch.file("b.json") + " --vouch -o " + scratch.file("r.html"));
  CHECK(outcome.code == 0);
  CHECK_THAT(content(scratch / "r.html"), Contains("BM_mine"));
  check_refused("algorithms -o " + scratch.file("a.json"), 1, "holds a dataset");
}

TEST_CASE("predictions in Bencher's format") {
  const std::string question = "predict sort-pairwise -n 2^20 --device h200";
  const json expected = answer(question);
  const json printed = json::parse(run_fathom(question + " --bmf").out);
  REQUIRE(printed.size() == 1);
  const json& latency = printed.at("sort-pairwise u32 n=1048576 E=17 t=256 on h200, counted").at("latency");
  CHECK(latency["value"].get<double>() == Approx(1e9 * expected["time_s"].get<double>()));
  CHECK(latency["lower_value"].get<double>() == Approx(1e9 * expected["interval_s"][0].get<double>()));
  CHECK(latency["upper_value"].get<double>() == Approx(1e9 * expected["interval_s"][1].get<double>()));
  CHECK(json::parse(run_fathom("predict sort-pairwise -n 2^20..2^22 --device h200 --bmf").out).size() == 3);
  check_refused(question + " --bmf --json", 2, "excludes");
}
