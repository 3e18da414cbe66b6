// SPDX-License-Identifier: Apache-2.0
// Predictions for several GPUs with links of known lines: sums of what one GPU is predicted to take.
#include "run.h"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>

using Catch::Matchers::Contains;

namespace {

/// A file of nccl-tests: an exchange among two H200 takes 17 µs and 3 µs per MB that leaves a GPU; if there
/// are two hosts with two H200 each, 40 and 20.
std::string file_of(const std::string& program, int hosts = 1) {
  const double latency_us = hosts > 1 ? 40 : 17, us_per_byte = hosts > 1 ? 20e-6 : 3e-6,
               sent = hosts > 1 ? 0.75 : 0.5;
  std::string results, devices;
  for (double array = 8; array <= 0x1p30; array *= 4)
    results += fmt::format(
        R"({}{{"size":{},"out_of_place":{{"time":{},"alg_bw":0,"bus_bw":0,"nwrong":0.0}},"in_place":null}})",
        results.empty() ? "" : ",", array, latency_us + us_per_byte * sent * array);
  for (int host = 0; host < hosts; ++host)
    devices += fmt::format(R"({}{{"hostname":"host{}","device_info":"NVIDIA H200"}})",
                           devices.empty() ? "" : ",", host);
  return fmt::format(R"({{"version":2,"start_time":"2026-11-24 10:00:00","args":["{}"],"env":[],)"
                     R"("config":{{"nthreads":1,"ngpus":2,"devices":[{}]}},"results":[{}]}})",
                     program, devices, results);
}

/// The H200 with links.
struct LinkedProfile {
  LinkedProfile() {
    std::string from;
    for (const std::string program : {"alltoall_perf", "all_gather_perf"}) {
      const std::string file = (scratch / program).string();
      write(file, file_of(program));
      from += " --links-from " + file;
    }
    launch_overhead_s = answer("calibrate" + from + " -o " + path)["constants"]["launch_overhead"]["value_s"];
  }
  json predicted(const std::string& question) const { return answer("predict " + question + on); }
  double seconds(const std::string& question) const { return predicted(question)["time_s"]; }

  ScratchDirectory scratch;
  std::string path = (scratch / "linked.json").string(), on = " --device " + path;
  double launch_overhead_s;
};

constexpr double latency_s = 17e-6;

}  // namespace

TEST_CASE("GPUs of several hosts exchange at the rate that was measured among them") {
  const LinkedProfile profile;
  const std::string sum = "reduce-gpus -n 2^28 --type u64 --gpus 4",
                    sort = "sort-gpus -n 2^28 --type u64 --gpus 8", on_four = " --what-if link.hosts=4";
  check_refused("predict " + sum + on_four + profile.on, 1,
                "no exchange of the kind all-gather among GPUs of several hosts was measured: take one from "
                "files of nccl-tests with fathom calibrate --links-from");

  std::string from;
  for (const std::string program : {"alltoall_perf", "all_gather_perf"}) {
    const std::string file = (profile.scratch / (program + "2")).string();
    write(file, file_of(program, 2));
    from += " --links-from " + file;
  }
  const json linked = answer("calibrate" + from + " --name " + profile.path);
  CHECK(linked["links"]["exchanges"].size() == 4);  // those of one host are still there
  CHECK_THAT(run_fathom("devices " + profile.path).out, Contains("4 of 2 hosts"));

  const json measured = profile.predicted(sum + " --what-if link.hosts=2");
  CHECK(double(measured["terms"]["link_s"]) == Approx(40e-6).epsilon(1e-3));
  CHECK_THAT(measured.dump(), !Contains("extrapolated from 4 GPUs of 2 hosts"));
  const json four = profile.predicted(sort + on_four);
  CHECK_THAT(four.dump(),
             Contains("all-to-all among 8 GPUs of 4 hosts is extrapolated from 4 GPUs of 2 hosts"));
  CHECK(four["bound"] == "link");
  CHECK(double(four["time_s"]) > 1.5 * profile.seconds(sort));
  CHECK(answer("tune sort-gpus -n 2^28 --type u64 --gpus 4,8 --what-if link.hosts=2" +
               profile.on)["candidates"][0]["parameters"]["gpus"] == 8);

  check_refused("predict reduce-gpus -n 2^28 --gpus 3 --what-if link.hosts=2" + profile.on, 2,
                "3 GPUs cannot be divided evenly among 2 hosts: ask for a multiple of 2");
  check_refused("predict " + sum + " --what-if link.hosts=0" + profile.on, 2, "impossible");
}

TEST_CASE("several GPUs take what each takes for its part, and the exchanges") {
  const LinkedProfile profile;
  const double local = profile.seconds("reduce-vector -n 2^27 --type u64"),
               sums = profile.seconds("reduce-vector -n 2 --type u64");
  const json two = profile.predicted("reduce-gpus -n 2^28 --type u64 --gpus 2");
  // Launches are queued: their overhead counts once.
  CHECK(double(two["time_s"]) == Approx(local + sums - profile.launch_overhead_s + latency_s).epsilon(1e-3));
  CHECK(double(two["terms"]["link_s"]) == Approx(latency_s).epsilon(1e-3));
  CHECK(two["parameters"]["gpus"] == 2);
  CHECK(double(two["interval_s"][0]) < double(two["time_s"]));
  CHECK(all_of(two["kernels"], "name") == std::set<std::string>{"ReduceVectors", "all-gather"});
  CHECK_FALSE(two.contains("assumptions"));
  CHECK(two == profile.predicted("reduce-gpus -n 2^28 --type u64 --set gpus=2"));
  CHECK(profile.seconds("reduce-gpus -n 2^28 --type u64 --gpus 2 --what-if link.latency=2x") ==
        Approx(double(two["time_s"]) + latency_s).epsilon(1e-3));

  const json eight = profile.predicted("reduce-gpus -n 2^30 --type u64 --gpus 8 --sensitivities");
  CHECK(double(eight["time_s"]) == Approx(double(two["time_s"])).epsilon(0.02));  // as many on each GPU
  CHECK_THAT(std::string(eight["assumptions"][0]), Contains("8 GPUs is extrapolated from 2 GPUs"));
  for (const json& one : eight["sensitivities"])
    if (one["constant"] == "link.latency")
      CHECK(double(one["value"]) == Approx(latency_s / double(eight["time_s"])).epsilon(0.02));
  CHECK(all_of(eight["sensitivities"], "constant").contains("link.latency"));
}

TEST_CASE("tune ranks numbers of GPUs") {
  const LinkedProfile profile;
  const json all = answer("tune reduce-gpus -n 2^28" + profile.on);
  std::set<int> gpus;
  for (const json& one : all["candidates"]) gpus.insert(int(one["parameters"]["gpus"]));
  CHECK(gpus == std::set<int>{1, 2, 4, 8});
  CHECK(all["best"]["parameters"]["gpus"] == 8);
  // What an exchange takes is longer than the sum of so few elements.
  CHECK(answer("tune reduce-gpus -n 2^16" + profile.on)["best"]["parameters"]["gpus"] == 1);
  CHECK(answer("tune reduce-gpus -n 2^28 --gpus 2,3" + profile.on)["best"]["parameters"]["gpus"] == 3);
}

TEST_CASE("runs on several GPUs are validated like others, of random input") {
  const LinkedProfile profile;
  const double predicted = profile.seconds("reduce-gpus -n 2^28 --gpus 2");
  const auto run = [&](const char* input) {
    return fmt::format(
        R"({{"algorithm":"reduce-gpus","kind":"reduce","type":"u32","order":"ascending","stable":false,)"
        R"("input":"{}","n":268435456,"parameters":{{"gpus":2}},"clock_hz":1.98e9,"clock_moved":false,)"
        R"("checked":true,"kernels":[],"seconds":[{}]}})",
        input, predicted / 1.25);
  };
  const std::string file = (profile.scratch / "runs.json").string();
  write(file,
        fmt::format(
            R"({{"schema":"fathom.dataset","version":2,"provenance":{{"gpu":"NVIDIA H200","driver":"1",)"
            R"("toolkit":"13.0","date":"2026-11-27T12:00:00Z","commit":"0","command":"a test"}},)"
            R"("runs":[{},{}]}})",
            run("random"), run("zipf")));
  const std::string text = run_fathom("validate " + file + " --law counted" + profile.on).out;
  CHECK_THAT(text, Contains("reduce-gpus     1          25.0 %"));
}

TEST_CASE(
    "work of several GPUs is in the tables for 2, 3, 4 and 8, else counted, and named where it cannot be") {
  const LinkedProfile profile;
  for (const char* gpus : {"2", "3", "4", "8"})
    for (const char* type : {"u32", "u64", "u32:u32"}) {
      INFO(type << " on " << gpus);
      CHECK(run_fathom_with(
                "FATHOM_NVDISASM=/missing",
                fmt::format("predict sort-gpus -n 2^30 --type {} --gpus {}{}", type, gpus, profile.on))
                .code == 0);
    }
  const Outcome outcome =
      run_fathom_with("FATHOM_NVDISASM=/missing", "predict sort-gpus -n 2^20 --gpus 5" + profile.on);
  CHECK(outcome.code == 1);
  CHECK_THAT(outcome.err, Contains("the work of gpus-") && Contains("cannot be counted"));
}

TEST_CASE("a sort of data in host memory takes little longer than its copies") {
  const std::string on = " --device " + std::string(FATHOM_DATA) + "/h200-host/links.json";
  for (const auto& [n, bytes, type] : {std::tuple{"2^28", 0x1p31, "u64"}, {"2^30", 0x1p32, "u32"}}) {
    INFO(n << " " << type);
    const json one = answer(fmt::format("predict sort-host -n {} --type {}{}", n, type, on));
    const double least = 2 * bytes / 55.1e9;  // in, and out
    CHECK(double(one["time_s"]) > 0.99 * least);
    CHECK(double(one["time_s"]) < 1.05 * least);
    CHECK(one["bound"] == "link");
  }
  const double once = answer("predict sort-host -n 2^30 --type u64" + on)["time_s"],
               twice = answer("predict sort-host -n 2^30 --type u64 --set memory=4" + on)["time_s"],
               faster =
                   answer("predict sort-host -n 2^30 --type u64 --what-if link.bandwidth=2x" + on)["time_s"];
  CHECK(twice > 1.05 * once);  // both directions at once are slower than each
  CHECK(faster < 0.6 * once);
  CHECK(answer("tune sort-host -n 2^30 --type u64 --set memory=4,0" +
               on)["candidates"][0]["parameters"]["memory"] == 0);
}

TEST_CASE("several GPUs sort data in host memory in two rounds, each with a link of its own") {
  const std::string on = " --device " + std::string(FATHOM_DATA) + "/h200-host/links.json",
                    command = "predict sort-host -n 2^33 --type u64";
  const double one = answer(command + on)["time_s"];
  const json two = answer(command + " --gpus 2" + on), four = answer(command + " --gpus 4" + on);
  // 32 parts on each GPU, of which one comes in and one goes out alone, and both directions at 50.2 GB/s.
  for (const auto& [gpus, answered] : {std::pair(2, two), {4, four}})
    CHECK(double(answered["time_s"]) == Approx(2 * 0x1p36 / gpus / 50.2e9 * (32 + 2) / 32).epsilon(0.05));
  CHECK(double(two["time_s"]) > one / 2);
  CHECK(two["bound"] == "link");
  CHECK_THAT(two.dump(), Contains("host-both-ways among 2 GPUs is extrapolated from 1 GPU"));
  // The number of GPUs is given, as how much of their memory may be used is.
  CHECK(answer("tune sort-host -n 2^30 --type u64" + on)["candidates"][0]["parameters"]["gpus"] == 1);
  CHECK(answer("tune sort-host -n 2^30 --type u64 --gpus 1,2" + on)["candidates"][0]["parameters"]["gpus"] ==
        2);
}

TEST_CASE("work of sorts of data in host memory is in the tables for all types and sizes") {
  const std::string on = " --device " + std::string(FATHOM_DATA) + "/h200-host/links.json";
  for (const char* type : {"u32", "u64", "i32", "i64", "f32", "f64", "u32:u32", "u64:u32", "u64:u64",
                           "u32:u32 --stable", "u64:u32 --stable", "u64:u64 --stable"}) {
    INFO(type);
    const Outcome outcome = run_fathom_with(
        "FATHOM_NVDISASM=/missing", fmt::format("predict sort-host -n 2^15..2^34 --type {}{}", type, on));
    CHECK(outcome.code == 0);
    CHECK_THAT(outcome.out, !Contains("not in the tables"));
    CHECK(run_fathom_with("FATHOM_NVDISASM=/missing",
                          fmt::format("predict sort-host -n 2^15..2^34 --gpus 3 --type {}{}", type, on))
              .code == 0);
  }
  for (const char* n : {"300", "1100", "4200"})  // in 5, 9 and 16 parts, of which the last may be small
    CHECK(run_fathom_with("FATHOM_NVDISASM=/missing", fmt::format("predict sort-host -n {}{}", n, on)).code ==
          0);
}

TEST_CASE("validate and report know sorts of data in host memory") {
  const ScratchDirectory scratch;
  const std::string folder = std::string(FATHOM_DATA) + "/h200-host/",
                    runs = folder + "sorts.json --device " + folder + "links.json";
  const json compared = answer("validate " + runs + " --law counted")["comparisons"][0]["runs"];
  REQUIRE(compared.size() == 6);
  for (const json& run : compared) CHECK(std::abs(double(run["relative_error"])) < 0.05);
  // Runs from before there could be several GPUs do not say that they had one.
  std::string former = content(folder + "sorts.json");
  const std::string one = ",\"gpus\":1";
  for (std::size_t at; (at = former.find(one)) != former.npos;) former.erase(at, one.size());
  write(scratch / "former.json", former);
  const json of_former = answer("validate " + scratch.file("former.json") + " --device " + folder +
                                "links.json --law counted")["comparisons"][0]["runs"];
  REQUIRE(of_former.size() == compared.size());
  for (std::size_t i = 0; i < compared.size(); ++i)
    CHECK(of_former[i]["predicted_s"] == compared[i]["predicted_s"]);
  answer("report " + runs + " -o " + scratch.file("r.html"));
  const std::string page = content(scratch / "r.html");
  CHECK_THAT(page, Contains("sort-host") && !Contains("unknown algorithm"));
}

TEST_CASE("plot scaling and report draw the runs of several GPUs") {
  const ScratchDirectory scratch;
  const std::string runs = std::string(FATHOM_DATA) + "/h200-gpus/sorts.json",
                    on = " --device " + std::string(FATHOM_DATA) + "/h200-gpus/links.json";
  const std::string plot = "plot scaling " + runs + on + " --algorithm sort-gpus -o " + scratch.file("s.svg");
  const json files = answer(plot)["files"];
  CHECK(files.size() == 15);  // time and speed-up for n in all and on each GPU, and steps, of three types
  const std::string steps = content(scratch / "s-steps-sort-gpus-u64.svg");
  for (const char* text : {"where the predicted time goes", "merge", "exchange", "GPUs", "time (ms)"})
    CHECK_THAT(steps, Contains(text));

  answer("report " + runs + on + " -o " + scratch.file("r.html"));
  const std::string page = content(scratch / "r.html");
  for (const char* text :
       {"<summary>Several GPUs", "id=\"scaling-speed-up-total-sort-gpus-u64\"", "all-to-all"})
    CHECK_THAT(page, Contains(text));
  CHECK_THAT(page, !Contains("unknown algorithm"));
}

TEST_CASE("plot scaling says what it lacks") {
  const ScratchDirectory scratch;
  const std::string data = FATHOM_DATA, linked = " --device " + data + "/h200-gpus/links.json",
                    plot = "plot scaling -o " + scratch.file("s.svg") + " ";
  const auto error = [](const std::string& command) {
    const Outcome outcome = run_fathom(command);
    CHECK(outcome.code != 0);
    CHECK(std::ranges::count(outcome.err, '\n') == 1);
    return outcome.err;
  };
  CHECK_THAT(error(plot + data + "/h200-gpus/sorts.json --device h200"),
             Contains("has no links to other GPUs or the host: measure them with fathom calibrate --links"));
  CHECK_THAT(error(plot + data + "/h200/sort-grid.json" + linked),
             Contains("no runs on several GPUs") && Contains("fathom bench sort-gpus"));
  CHECK_THAT(error(plot + "--algorithm radix-msd" + linked),
             Contains("radix-msd runs on one GPU: choose sort-gpus, "));
  CHECK_THAT(error(plot + "--algorithm sort-gpus --law published" + linked),
             Contains("choose --law counted"));

  const Outcome report =
      run_fathom("report " + data + "/h200-gpus/sums.json --device h200 -o " + scratch.file("r.html"));
  CHECK(report.code == 0);
  CHECK_THAT(report.err, Contains("the runs on several GPUs are left out") && Contains("calibrate --links"));
}
