// SPDX-License-Identifier: Apache-2.0
// Files of nccl-tests, which -J writes in version 2 of their format.
#include "json_text.h"

#include <fathom/store/nccl_tests.h>

#include <catch2/catch.hpp>

using namespace fathom;

namespace {

const std::string file = R"({"version":2,"start_time":"2026-11-24 10:00:00",
  "args":["./build/all_gather_perf","-b","8","-e","1G","-g","2","-J","a.json"],"env":["HOME=/root"],
  "nccl_version":22809,
  "config":{"nthreads":1,"ngpus":2,"minimum_bytes":8,"maximum_bytes":1073741824,"step_factor":2,
    "warmup_iters":1,"iterations":20,"aggregated_iterations":1,"validation":1,"graph":0,
    "blocking_collectives":"false","per_iter_timing":"false","parallel_init":"false",
    "devices":[{"rank":0,"group":0,"pid":7,"hostname":"here","device":0,"device_hex":"0000:0a:00",
                "device_info":"NVIDIA H200"}]},
  "results":[
    {"size":0,"count":0,"type":"float","redop":"none","root":"    -1",
     "out_of_place":{"time":9.5,"alg_bw":0.0,"bus_bw":0.0,"nwrong":0.0},
     "in_place":{"time":9.0,"alg_bw":0.0,"bus_bw":0.0,"nwrong":0.0},
     "actual_iterations":20,"experiment_name":""},
    {"size":1048576,"count":131072,"type":"float","redop":"none","root":"    -1",
     "out_of_place":{"time":18.25,"alg_bw":57.46,"bus_bw":28.73,"nwrong":0.0},
     "in_place":{"time":18.0,"alg_bw":58.25,"bus_bw":29.13,"nwrong":0.0},
     "actual_iterations":20,"experiment_name":""},
    {"size":2097152,"count":262144,"type":"float","redop":"none","root":"    -1",
     "out_of_place":{"time":21.0,"alg_bw":99.86,"bus_bw":49.93,"nwrong":null},
     "out_of_place_per_iter":{"min_us":20.0,"max_us":22.0,"times_us":[20.0,22.0]},
     "actual_iterations":2,"experiment_name":""}],
  "out_of_bounds":{"count":0,"okay":"true"},"average_bus_bandwidth":{"bandwidth":1.0,"okay":"unchecked"},
  "errors":[],"end_time":"2026-11-24 10:00:09"})";

std::string error_of(const std::string& text) {
  return format_error_of([&] { parse_nccl_tests(text, "n.json"); });
}

}  // namespace

TEST_CASE("a file of nccl-tests gives the times out of place by the bytes that leave a GPU") {
  const NcclTests read = parse_nccl_tests(file, "n.json");
  CHECK(read.provenance.gpu == "NVIDIA H200");
  CHECK(read.provenance.date == "2026-11-24 10:00:00");
  CHECK(read.provenance.command == "./build/all_gather_perf -b 8 -e 1G -g 2 -J a.json");
  REQUIRE(read.series.size() == 2);  // an array of nothing takes part in none
  for (const Series& series : read.series) {
    CHECK(series.benchmark == "link-all-gather");
    CHECK(series.unit == "s");
    CHECK(series.coordinates.at("gpus") == 2);
  }
  CHECK(read.series[0].coordinates.at("bytes") == 524288);  // half of it is the GPU's own
  CHECK(read.series[0].samples.size() == 1);
  CHECK(read.series[0].samples[0] == Approx(18.25e-6));
  CHECK(read.series[1].samples == std::vector<double>{20 * 1e-6, 22 * 1e-6});
}

TEST_CASE("a device stands for all GPUs of a process") {
  const std::string of_eight = replaced(file, R"("nthreads":1,"ngpus":2)", R"("nthreads":2,"ngpus":4)");
  const Series series = parse_nccl_tests(of_eight, "n.json").series[0];
  CHECK(series.coordinates.at("gpus") == 8);
  CHECK(series.coordinates.at("bytes") == 1048576 * 7 / 8);
}

TEST_CASE("times among GPUs of several hosts are told from those of one") {
  const NcclTests read = parse_nccl_tests(
      replaced(file, R"("devices":[)", R"("devices":[{"hostname":"there","device_info":"NVIDIA H200"},)"),
      "n.json");
  CHECK(read.hosts == 2);
  const Series& series = read.series.at(0);
  CHECK(series.benchmark == "link-all-gather-between-hosts");
  CHECK(series.coordinates.at("hosts") == 2);
  CHECK(series.coordinates.at("gpus") == 4);
  CHECK(series.coordinates.at("bytes") == 1048576 * 3 / 4);
  CHECK(parse_nccl_tests(file, "n.json").hosts == 1);
}

TEST_CASE("the test is told by the name of its program") {
  const auto benchmark = [](const char* program) {
    return parse_nccl_tests(replaced(file, "./build/all_gather_perf", program), "n.json").series[0].benchmark;
  };
  CHECK(benchmark("all_reduce_perf") == "link-all-reduce");
  CHECK(benchmark("/opt/alltoall_perf_mpi") == "link-all-to-all");
  CHECK(benchmark("sendrecv_perf") == "link-send-receive");
}

TEST_CASE("a file of nccl-tests that gives no times of links is rejected with the reason") {
  struct Spoilt {
    const char *from, *to, *says;
  };
  for (
      const Spoilt& one :
      {Spoilt{"all_gather_perf", "broadcast_perf", "field 'args[0]' is 'broadcast_perf'"},
       {R"("ngpus":2)", R"("ngpus":1)", "field 'config' has 1 GPUs: links need from 2 to 1024"},
       {R"("ngpus":2)", R"("ngpus":0)", "field 'config.ngpus' must be between 1 and 1024"},
       {R"({"time":18.25)", R"({"cpu_time":18.25)", "has no time of the GPUs: test without -C"},
       {R"("bus_bw":28.73,"nwrong":0.0)", R"("bus_bw":28.73,"nwrong":3.0)", "what was exchanged was wrong"},
       {R"("devices":[)",
        R"("devices":[{"hostname":"there","device_info":"NVIDIA H200"},{"hostname":"there","device_info":"NVIDIA H200"},)",
        "field 'config.devices[0].hostname' has 2 processes, and another host 1: give a test with as many "
        "GPUs "
        "on each host"},
       {R"({"time":18.25)", R"({"time":0)", "must be between 0.001 and 1000000000"},
       {R"("args":["./build/all_gather_perf",)", R"("args":[], "x":[)", "field 'args' must name the test"}}) {
    INFO(one.to);
    CHECK_THAT(error_of(replaced(file, one.from, one.to)), Catch::Contains(one.says));
  }
  CHECK_THAT(error_of("{}"), Catch::Contains("field 'args' is missing"));
}
