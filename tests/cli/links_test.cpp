// SPDX-License-Identifier: Apache-2.0
// Links between GPUs, of files that were made of known lines.
#include "run.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>

using Catch::Matchers::Contains;

namespace {

/// All-to-all among two H200: 17 µs and 3 µs per MB that leaves a GPU.
std::string file_of(const std::string& gpu = "NVIDIA H200") {
  std::string results;
  for (double array = 8; array <= 0x1p30; array *= 4)
    results += fmt::format(
        R"({}{{"size":{},"out_of_place":{{"time":{},"alg_bw":0,"bus_bw":0,"nwrong":0.0}},"in_place":null}})",
        results.empty() ? "" : ",", array, 17 + 3e-6 * array / 2);
  return fmt::format(
      R"({{"version":2,"start_time":"2026-11-24 10:00:00","args":["alltoall_perf"],"env":[],)"
      R"("config":{{"nthreads":1,"ngpus":2,"devices":[{{"hostname":"here","device_info":"{}"}}]}},)"
      R"("results":[{}]}})",
      gpu, results);
}

}  // namespace

TEST_CASE("links from files of nccl-tests become part of the profile, and what-if changes them") {
  const ScratchDirectory scratch;
  const std::string file = (scratch / "alltoall.json").string(), profile = (scratch / "linked.json").string();
  write(file, file_of());
  const json linked = answer("calibrate --links-from " + file + " -o " + profile);
  const json& exchanges = linked["links"]["exchanges"];
  REQUIRE(exchanges.size() == 1);
  CHECK(exchanges[0]["kind"] == "all-to-all");
  CHECK(exchanges[0]["gpus"] == 2);
  CHECK(exchanges[0]["most_bytes"] == 0x1p28);
  REQUIRE(exchanges[0]["ranges"].size() == 1);
  CHECK(exchanges[0]["ranges"][0]["latency"]["value_s"] == Approx(17e-6).epsilon(1e-3));
  CHECK(exchanges[0]["ranges"][0]["per_byte"]["value_s_per_byte"] == Approx(3e-12).epsilon(1e-3));
  CHECK(linked["links"]["provenance"]["gpu"] == "NVIDIA H200");
  CHECK(linked["name"] == "h200");
  CHECK(json::parse(content(profile)) == linked);

  const std::string shown = run_fathom("devices " + profile).out;
  CHECK_THAT(shown, Contains("Exchanges between GPUs") && Contains("333 GB/s"));
  CHECK(answer("predict sort-kway -n 2^20 --device " + profile + " --what-if link.bandwidth=2x")["time_s"] ==
        answer("predict sort-kway -n 2^20 --device " + profile)["time_s"]);
  // Once more: they replace those that were there.
  CHECK(answer("calibrate --links-from " + file + " --name " + profile)["series"] == linked["series"]);

  // Links to the host, which nccl-tests do not measure, remain.
  json with_host = linked;
  for (const double bytes : {8., 1e9}) {
    const double seconds = 8e-6 + 20e-12 * bytes;
    json series = linked["series"].back();
    series["question"] = "link-host-to-device";
    series["at"] = {{"bytes", bytes}, {"gpus", 1.0}};
    series["samples"] = {seconds, seconds, seconds};
    with_host["series"].push_back(series);
  }
  write(profile, with_host.dump());
  const json both = answer("calibrate --links-from " + file + " --name " + profile);
  REQUIRE(both["links"]["exchanges"].size() == 2);
  CHECK(both["links"]["exchanges"][1]["kind"] == "host-to-device");
  CHECK_THAT(run_fathom("devices " + profile).out, Contains("host-to-device") && Contains("50.0 GB/s"));
}

TEST_CASE("links that cannot be had are refused in one line, and nothing is written") {
  const ScratchDirectory scratch;
  const std::string of_h200 = (scratch / "h200.json").string(), of_b200 = (scratch / "b200.json").string();
  write(of_h200, file_of());
  write(of_b200, file_of("NVIDIA B200"));
  const std::string output = " -o " + (scratch / "never.json").string();
  check_refused("calibrate --links" + output, 1, "links need a GPU, and no NVIDIA GPU is present here:");
  check_refused("calibrate --links --links-from " + of_h200 + output, 2,
                "--links measures and --links-from reads: give one of them");
  check_refused("calibrate --links-from " + of_h200 + "," + of_b200 + output, 2,
                "--links-from " + of_b200 + ": its GPUs are NVIDIA B200, those of other files are");
  check_refused("calibrate --links-from " + of_b200 + output, 1,
                "there is no profile of NVIDIA B200 to add links to:");
  check_refused("calibrate --links-from " + of_h200 + " --name h100" + output, 2,
                "the links are of NVIDIA H200, the profile h100 is of NVIDIA H100 80GB HBM3:");
  check_refused("calibrate --links-from " + (scratch / "none.json").string() + output, 1, "cannot read");
  check_refused("predict sort-kway -n 2^20 --device h200 --what-if link.latency=2x", 2,
                "machine 'h200' has no value for the constant link.latency:");
  CHECK_FALSE(std::filesystem::exists(scratch / "never.json"));
}
